// POOL_2D_BACK: the gradient of each element of the image: what the windows above it pass down. KIND: max (a window passes all to its
// first greatest element) or mean (the same to all). One element for each invocation.
#import common/grid
#import common/view
struct Params {
    count: u32,
    width: u32,   // of the image and its gradient
    height: u32,
    ne2: u32,
    windows0: u32,
    windows1: u32,
    kernel0: i32,
    kernel1: i32,
    stride0: i32,
    stride1: i32,
    pad0: i32,
    pad1: i32,
    src_view: View, // gradients of the windows
    image_view: View,
    dst_view: View,
}
#params
override wg_size: u32;
#bind src: array<f32>
#if KIND == max
#bind image: array<IMAGE_WORD>
#import common/types/IMAGE q_=image_ Q=image
#endif
#bind dst: array<f32>

// The first and behind the last window along one dimension that covers element i.
fn windows(i: i32, pad: i32, kernel: i32, stride: i32, count: u32) -> vec2<i32> {
    let last = i + pad;
    return vec2<i32>((max(last - kernel + 1, 0) + stride - 1) / stride, min(last / stride + 1, i32(count)));
}

#if KIND == max
// The first greatest element of the window that begins at `left`, `top`: x + width * y.
fn greatest(start: u32, left: i32, top: i32) -> u32 {
    var most = -3.4028234663852886e38;
    var found = 0xffffffffu;
    for (var y = max(top, 0); y < min(top + params.kernel1, i32(params.height)); y++) {
        for (var x = max(left, 0); x < min(left + params.kernel0, i32(params.width)); x++) {
            let v = image_get(start + u32(x) * params.image_view.nb0 + u32(y) * params.image_view.nb1);
            if (v > most) {
                most = v;
                found = u32(x) + params.width * u32(y);
            }
        }
    }
    return found;
}
#endif

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = workgroup_index(id, count) * wg_size + lane;
    if (index >= params.count) {
        return;
    }
    let x = index % params.width;
    let row = index / params.width;
    let y = row % params.height;
    let plane = row / params.height;
    let i2 = plane % params.ne2;
    let i3 = plane / params.ne2;
    let xs = windows(i32(x), params.pad0, params.kernel0, params.stride0, params.windows0);
    let ys = windows(i32(y), params.pad1, params.kernel1, params.stride1, params.windows1);
    var sum = 0.0;
    for (var w1 = ys.x; w1 < ys.y; w1++) {
        for (var w0 = xs.x; w0 < xs.y; w0++) {
            let gradient = src[at(params.src_view, u32(w0), u32(w1), i2, i3) >> 2u];
#if KIND == max
            let image_start = at(params.image_view, 0u, 0u, i2, i3);
            if (greatest(image_start, w0 * params.stride0 - params.pad0, w1 * params.stride1 - params.pad1) == x + params.width * y) {
                sum += gradient;
            }
#else
            sum += gradient / f32(params.kernel0 * params.kernel1);
#endif
        }
    }
    dst[at(params.dst_view, x, y, i2, i3) >> 2u] = sum;
}
