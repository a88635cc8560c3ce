// CONV_2D_DW: every channel with a kernel of its own; one element for each invocation. CHANNELS_FIRST: neighbours are channels, as they
// lie in memory, otherwise places along the width.
#import common/grid
#import common/view
struct Params {
    count: u32,
    ne0: u32,   // of dst
    ne1: u32,
    ne2: u32,
    width: u32, // of the image
    height: u32,
    kernel0: u32,
    kernel1: u32,
    stride0: i32,
    stride1: i32,
    pad0: i32,
    pad1: i32,
    dilation0: i32,
    dilation1: i32,
    kernel_view: View,
    src_view: View,
    dst_view: View,
}
#params
override wg_size: u32;
#define dst_WRITE 1
#bind kernel: array<KERNEL_WORD>
#bind src: array<SRC_WORD>
#bind dst: array<DST_WORD>
#import common/types/KERNEL q_=kernel_ Q=kernel
#import common/types/SRC q_=src_ Q=src
#import common/types/DST q_=dst_ Q=dst

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = workgroup_index(id, count) * wg_size + lane;
    if (index >= params.count) {
        return;
    }
#if CHANNELS_FIRST
    let channel = index % params.ne2;
    let rest = index / params.ne2;
    let i0 = rest % params.ne0;
    let i1 = rest / params.ne0 % params.ne1;
    let batch = rest / params.ne0 / params.ne1;
#else
    let i0 = index % params.ne0;
    let rest = index / params.ne0;
    let i1 = rest % params.ne1;
    let channel = rest / params.ne1 % params.ne2;
    let batch = rest / params.ne1 / params.ne2;
#endif
    let left = i32(i0) * params.stride0 - params.pad0;
    let top = i32(i1) * params.stride1 - params.pad1;
    let plane = at(params.src_view, 0u, 0u, channel, batch);
    let own = at(params.kernel_view, 0u, 0u, 0u, channel);
    var sum = 0.0;
    for (var k1 = 0u; k1 < params.kernel1; k1++) {
        let y = u32(top + i32(k1) * params.dilation1);
        if (y >= params.height) {
            continue;
        }
        for (var k0 = 0u; k0 < params.kernel0; k0++) {
            let x = u32(left + i32(k0) * params.dilation0);
            if (x < params.width) {
                let w = kernel_get(own + k0 * params.kernel_view.nb0 + k1 * params.kernel_view.nb1);
                sum += w * src_get(plane + x * params.src_view.nb0 + y * params.src_view.nb1);
            }
        }
    }
    dst_put(at(params.dst_view, i0, i1, channel, batch), sum);
}
