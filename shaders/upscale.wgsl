// UPSCALE: src seen at the size of dst. MODE: nearest, bilinear, antialias, bicubic in the first two dimensions; nearest in the others.
#import common/grid
#import common/view
struct Params {
    count: u32, // elements of dst
    ne0: u32, // shape of dst
    ne1: u32,
    ne2: u32,
    src_ne0: i32,
    src_ne1: i32,
    src_ne2: i32,
    src_ne3: i32,
    factor0: f32, // elements of dst for one of src
    factor1: f32,
    factor2: f32,
    factor3: f32,
    centre: f32, // of an element
    src_view: View,
    dst_view: View,
}
#params
#define dst_WRITE 1
#bind src: array<SRC_WORD>
#bind dst: array<DST_WORD>
#import common/types/SRC q_=src_ Q=src
#import common/types/DST q_=dst_ Q=dst
override wg_size: u32;

// The whole part of i / factor, below `end`. IEEE's rounding decides whether a quotient next to a whole number reaches it, and
// devices may divide less exactly: the remainder is found without rounding instead.
fn nearest(i: u32, factor: f32, end: i32) -> u32 {
    let whole = round(f32(i) / factor);
    let high = bitcast<f32>(bitcast<u32>(factor) & 0xfffff000u);
    let rest = (f32(i) - whole * high) - whole * (factor - high);
    // Half of the distance to the float below.
    let half = 0.5 * (whole - bitcast<f32>(max(bitcast<u32>(whole), 1u) - 1u));
    let reached = rest >= 0.0 || -rest <= factor * half;
    return u32(clamp(i32(select(whole - 1.0, whole, reached)), 0, end - 1));
}

fn pixel(x: i32, y: i32, i2: u32, i3: u32) -> f32 {
    let x_in = u32(clamp(x, 0, params.src_ne0 - 1));
    let y_in = u32(clamp(y, 0, params.src_ne1 - 1));
    return src_get(at(params.src_view, x_in, y_in, i2, i3));
}

#if MODE == bicubic
// Weights of four neighbours of a place `x` behind the second one: cubic convolution with a slope of -0.75.
fn near(x: f32) -> f32 {
    return (1.25 * x - 2.25) * x * x + 1.0;
}
fn far(x: f32) -> f32 {
    return ((-0.75 * x + 3.75) * x - 6.0) * x + 3.0;
}
fn weights(x: f32) -> vec4<f32> {
    return vec4<f32>(far(x + 1.0), near(x), near(1.0 - x), far(2.0 - x));
}
#endif

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = workgroup_index(id, count) * wg_size + lane;
    if (i >= params.count) {
        return;
    }
    let row = i / params.ne0;
    let plane = row / params.ne1;
    let i0 = i % params.ne0;
    let i1 = row % params.ne1;
    let i2 = plane % params.ne2;
    let i3 = plane / params.ne2;
    let s2 = nearest(i2, params.factor2, params.src_ne2);
    let s3 = nearest(i3, params.factor3, params.src_ne3);
#if MODE == nearest
    let s0 = nearest(i0, params.factor0, params.src_ne0);
    let s1 = nearest(i1, params.factor1, params.src_ne1);
    let v = src_get(at(params.src_view, s0, s1, s2, s3));
#elif MODE == antialias
    // A triangle as wide as an element of dst, or of src if that is larger.
    let x = (f32(i0) + params.centre) / params.factor0;
    let y = (f32(i1) + params.centre) / params.factor1;
    let reach0 = max(1.0, 1.0 / params.factor0);
    let reach1 = max(1.0, 1.0 / params.factor1);
    let x_end = min(i32(x + reach0 + params.centre), params.src_ne0);
    let y_end = min(i32(y + reach1 + params.centre), params.src_ne1);
    var sum = 0.0;
    var weight = 0.0;
    for (var sy = max(i32(y - reach1 + params.centre), 0); sy < y_end; sy++) {
        let weight1 = max(1.0 - abs((f32(sy) - y + params.centre) / reach1), 0.0);
        for (var sx = max(i32(x - reach0 + params.centre), 0); sx < x_end; sx++) {
            let w = weight1 * max(1.0 - abs((f32(sx) - x + params.centre) / reach0), 0.0);
            if (w > 0.0) {
                sum += w * pixel(sx, sy, s2, s3);
                weight += w;
            }
        }
    }
    var v = sum;
    if (weight > 0.0) {
        v /= weight;
    }
#else
    let x = (f32(i0) + params.centre) / params.factor0 - params.centre;
    let y = (f32(i1) + params.centre) / params.factor1 - params.centre;
    let x0 = i32(floor(x));
    let y0 = i32(floor(y));
#if MODE == bilinear
    let dx = clamp(x - f32(clamp(x0, 0, params.src_ne0 - 1)), 0.0, 1.0);
    let dy = clamp(y - f32(clamp(y0, 0, params.src_ne1 - 1)), 0.0, 1.0);
    let above = pixel(x0, y0, s2, s3) * (1.0 - dx) + pixel(x0 + 1, y0, s2, s3) * dx;
    let below = pixel(x0, y0 + 1, s2, s3) * (1.0 - dx) + pixel(x0 + 1, y0 + 1, s2, s3) * dx;
    let v = above * (1.0 - dy) + below * dy;
#else
    let along = weights(x - floor(x));
    let across = weights(y - floor(y));
    var v = 0.0;
    for (var k = 0; k < 4; k++) {
        let line = y0 - 1 + k;
        let four = vec4<f32>(
            pixel(x0 - 1, line, s2, s3),
            pixel(x0, line, s2, s3),
            pixel(x0 + 1, line, s2, s3),
            pixel(x0 + 2, line, s2, s3),
        );
        v += across[k] * dot(four, along);
    }
#endif
#endif
    dst_put(at(params.dst_view, i0, i1, i2, i3), v);
}
