// CONV_TRANSPOSE_1D, CONV_TRANSPOSE_2D: each element of dst is the sum over the places of the image whose kernels reach it; one for
// each invocation. In one dimension the height is 1.
// HALF: the kernels are f16, and images are rounded to f16 too, as the CPU backend does.
#import common/exact
#import common/grid
struct Params {
    count: u32,
    ne0: u32,     // of dst
    ne1: u32,
    channels: u32,
    inner: u32,   // channels of the image
    width: u32,
    height: u32,
    kernel0: u32,
    kernel1: u32,
    stride: u32,
    kernel_offset: u32,
    kernel_width: u32, // bytes from one element to the next
    kernel_height: u32,
    kernel_outer: u32,
    kernel_inner: u32,
    src_offset: u32,
    src_width: u32,
    src_height: u32,
    src_channel: u32,
    src_batch: u32,
    dst_offset: u32,
    dst_width: u32,
    dst_height: u32,
    dst_channel: u32,
    dst_batch: u32,
}
#params
override wg_size: u32;
#bind kernel: array<KERNEL_WORD>
#bind src: array<SRC_WORD>
#bind dst: array<f32>
#import common/types/KERNEL q_=kernel_ Q=kernel
#import common/types/SRC q_=src_ Q=src

// The first and behind the last place along one dimension whose kernel reaches element i.
fn reach(i: u32, kernel_length: u32, length: u32) -> vec2<u32> {
    let first = (max(i + 1u, kernel_length) - kernel_length + params.stride - 1u) / params.stride;
    return vec2<u32>(first, min(i / params.stride + 1u, length));
}

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = workgroup_index(id, count) * wg_size + lane;
    if (index >= params.count) {
        return;
    }
    exact_begin(index);
    let i0 = index % params.ne0;
    let row = index / params.ne0;
    let i1 = row % params.ne1;
    let plane = row / params.ne1;
    let channel = plane % params.channels;
    let batch = plane / params.channels;
    let xs = reach(i0, params.kernel0, params.width);
    let ys = reach(i1, params.kernel1, params.height);
    var sum = 0.0;
    for (var y = ys.x; y < ys.y; y++) {
        for (var x = xs.x; x < xs.y; x++) {
            var w = params.kernel_offset + channel * params.kernel_outer;
            w += (i0 - x * params.stride) * params.kernel_width + (i1 - y * params.stride) * params.kernel_height;
            var v = params.src_offset + batch * params.src_batch + x * params.src_width + y * params.src_height;
            for (var c = 0u; c < params.inner; c++) {
#if HALF
                sum += kernel_get(w) * half_exact(src_get(v));
#else
                sum += kernel_get(w) * src_get(v);
#endif
                w += params.kernel_inner;
                v += params.src_channel;
            }
        }
    }
    let to = params.dst_offset + i0 * params.dst_width + i1 * params.dst_height + channel * params.dst_channel + batch * params.dst_batch;
    dst[to / 4u] = sum;
}
