// IM2COL, IM2COL_3D: a row of dst for each place of the kernel, with the elements of all channels below it, or 0 outside of the image.
// One invocation writes four neighbours. VEC: rows as vectors of four. In 1 or 2 dimensions the others have length 1.
#import common/grid
struct Params {
    count: u32,    // groups of four
    groups: u32,   // of a row
    ne0: u32,      // elements of a row
    ne1: u32,      // places along the width
    ne2: u32,      // along the height
    depth: u32,    // along the depth, of a batch
    first1: u32,   // where this part of the places begins
    first2: u32,
    first3: u32,   // of depths and batches
    width: u32,    // of the image
    height: u32,
    deep: u32,
    kernel0: u32,
    kernel1: u32,
    kernel2: u32,
    stride0: i32,
    stride1: i32,
    stride2: i32,
    pad0: i32,
    pad1: i32,
    pad2: i32,
    dilation0: i32,
    dilation1: i32,
    dilation2: i32,
    src_offset: u32,
    src_width: u32,   // bytes from one element to the next
    src_height: u32,
    src_depth: u32,
    src_channel: u32,
    src_batch: u32,
    dst_offset: u32,
    dst_nb1: u32,
    dst_nb2: u32,
    dst_nb3: u32,
}
#params
override wg_size: u32;
#define dst_WRITE 1
#if VEC
#define dst_VEC 1
#endif
#bind src: array<SRC_WORD>
#bind dst: array<DST_WORD>
#import common/types/SRC q_=src_ Q=src
#import common/types/DST q_=dst_ Q=dst

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = workgroup_index(id, count) * wg_size + lane;
    if (index >= params.count) {
        return;
    }
    let i0 = index % params.groups * 4u;
    let row = index / params.groups;
    let i1 = row % params.ne1;
    let i2 = row / params.ne1 % params.ne2;
    let i3 = row / (params.ne1 * params.ne2);
    let z = i3 + params.first3;
    let left = i32(i1 + params.first1) * params.stride0 - params.pad0;
    let top = i32(i2 + params.first2) * params.stride1 - params.pad1;
    let front = i32(z % params.depth) * params.stride2 - params.pad2;

    let plane = i0 / params.kernel0;
    var k0 = i0 % params.kernel0;
    var k1 = plane % params.kernel1;
    var k2 = plane / params.kernel1 % params.kernel2;
    var start = params.src_offset + z / params.depth * params.src_batch + plane / (params.kernel1 * params.kernel2) * params.src_channel;
    var four = vec4<f32>(0.0);
    for (var j = 0u; j < min(4u, params.ne0 - i0); j++) {
        // Before the first element wraps around to far behind the last one.
        let x = u32(left + i32(k0) * params.dilation0);
        let y = u32(top + i32(k1) * params.dilation1);
        let depth = u32(front + i32(k2) * params.dilation2);
        if (x < params.width && y < params.height && depth < params.deep) {
            four[j] = src_get(start + x * params.src_width + y * params.src_height + depth * params.src_depth);
        }
        k0++;
        if (k0 == params.kernel0) {
            k0 = 0u;
            k1++;
            if (k1 == params.kernel1) {
                k1 = 0u;
                k2++;
                if (k2 == params.kernel2) {
                    k2 = 0u;
                    start += params.src_channel;
                }
            }
        }
    }
    let to = params.dst_offset + i0 * DST_BYTES + i1 * params.dst_nb1 + i2 * params.dst_nb2 + i3 * params.dst_nb3;
#if VEC
    dst_put4(to, four);
#else
    for (var j = 0u; j < min(4u, params.ne0 - i0); j++) {
        dst_put(to + j * DST_BYTES, four[j]);
    }
#endif
}
