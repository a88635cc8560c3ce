// SOFT_MAX: exp(x - max) / sum of a row's values x = src * scale + slope * mask; one workgroup for each row.
// VEC: rows as vectors of four. MASK: there is a mask of that type. SINKS: each head has one more value, which has no place in the result.
#import common/grid
#import common/view
struct Params {
    rows: u32,
    ne0: u32,
    ne1: u32,
    ne2: u32,
    scale: f32,
    // ALiBi: logarithms of the slopes' bases for the heads below and from `heads`; 0 without.
    log_low: f32,
    log_high: f32,
    heads: u32,
    src_view: View,
    dst_view: View,
    mask_ne2: u32,
    mask_ne3: u32,
    mask_view: View,
    sinks_offset: u32,
}
#params
override wg_size: u32;
#import common/reduce
#define dst_WRITE 1
#if VEC
#define src_VEC 1
#define dst_VEC 1
#define mask_VEC 1
#define Value vec4<f32>
#define STEP 4u
#else
#define Value f32
#define STEP 1u
#endif
#bind src: array<WORD>
#bind dst: array<WORD>
#import common/types/f32 q_=src_ Q=src
#import common/types/f32 q_=dst_ Q=dst
#if MASK
#bind mask: array<MASK_WORD>
#import common/types/MASK q_=mask_ Q=mask
#endif
#if SINKS
#bind sinks: array<f32>
#endif

#if VEC
fn total(v: vec4<f32>) -> f32 {
    return (v.x + v.y) + (v.z + v.w);
}
fn largest(v: vec4<f32>) -> f32 {
    return max(max(v.x, v.y), max(v.z, v.w));
}
#else
fn total(v: f32) -> f32 {
    return v;
}
fn largest(v: f32) -> f32 {
    return v;
}
#endif

var<private> source: u32;
#if MASK
var<private> over: u32;
var<private> slope: f32;
#endif

fn value(i: u32) -> Value {
#if VEC
    var v = src_get4(source + i * 4u) * params.scale;
#if MASK
    v += slope * mask_get4(over + i * MASK_BYTES);
#endif
#else
    var v = src_get(source + i * params.src_view.nb0) * params.scale;
#if MASK
    v += slope * mask_get(over + i * params.mask_view.nb0);
#endif
#endif
    return v;
}

// Steps of a row that each invocation keeps; longer rows are read again.
const KEEP = 4u;

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32, REDUCE_BUILTINS) {
    REDUCE_START
    let row = workgroup_index(id, count);
    if (row >= params.rows) {
        return;
    }
    let i1 = row % params.ne1;
    let i2 = row / params.ne1 % params.ne2;
    let i3 = row / (params.ne1 * params.ne2);
    source = at(params.src_view, 0u, i1, i2, i3);
    let target_row = at(params.dst_view, 0u, i1, i2, i3);
#if MASK
    over = at(params.mask_view, 0u, i1, i2 % params.mask_ne2, i3 % params.mask_ne3);
    slope = exp2(select(params.log_high * f32(2u * (i2 - params.heads) + 1u), params.log_low * f32(i2 + 1u), i2 < params.heads));
#endif
    let first = lane * STEP;
    let stride = wg_size * STEP;

    // The least finite number, not -inf: a row of nothing but -inf becomes NaN all the same, by 0 / 0.
    var top = -3.4028234663852886e38;
    var kept: array<Value, KEEP>;
    for (var k = 0u; k < KEEP; k++) {
        let i = first + k * stride;
        if (i < params.ne0) {
            kept[k] = value(i);
            top = max(top, largest(kept[k]));
        }
    }
    for (var i = first + KEEP * stride; i < params.ne0; i += stride) {
        top = max(top, largest(value(i)));
    }
    top = reduce_max(top);
#if SINKS
    let sink = sinks[params.sinks_offset / 4u + i2];
    top = max(top, sink);
#endif

    var sum = 0.0;
    for (var k = 0u; k < KEEP; k++) {
        if (first + k * stride < params.ne0) {
            kept[k] = exp(kept[k] - top);
            sum += total(kept[k]);
        }
    }
    for (var i = first + KEEP * stride; i < params.ne0; i += stride) {
        sum += total(exp(value(i) - top));
    }
    sum = reduce_add(sum);
#if SINKS
    sum += exp(sink - top);
#endif
    let factor = 1.0 / sum;

    for (var k = 0u; k < KEEP; k++) {
        let i = first + k * stride;
        if (i < params.ne0) {
            store(target_row, i, kept[k] * factor);
        }
    }
    for (var i = first + KEEP * stride; i < params.ne0; i += stride) {
        store(target_row, i, exp(value(i) - top) * factor);
    }
}

fn store(target_row: u32, i: u32, v: Value) {
#if VEC
    dst_put4(target_row + i * 4u, v);
#else
    dst_put(target_row + i * params.dst_view.nb0, v);
#endif
}
