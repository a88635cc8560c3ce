// COUNT_EQUAL: how many elements of two tensors are equal. FIRST: counts of strided parts, one for each workgroup; otherwise their sum.
#import common/grid
#import common/view
struct Params {
    count: u32,      // elements, or counts
    workgroups: u32,
    ne0: u32,
    ne1: u32,
    ne2: u32,
    src0_view: View,
    src1_view: View,
    dst_offset: u32,
}
#params
override wg_size: u32;
#if FIRST
#bind src0: array<i32>
#bind src1: array<i32>
#else
#bind src0: array<u32>
#endif
#bind dst: array<u32>

var<workgroup> all: atomic<u32>;

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = workgroup_index(id, count);
    if (group >= params.workgroups) {
        return;
    }
    if (lane == 0u) {
        atomicStore(&all, 0u);
    }
    workgroupBarrier();
    var own = 0u;
    for (var i = group * wg_size + lane; i < params.count; i += params.workgroups * wg_size) {
#if FIRST
        let i0 = i % params.ne0;
        let row = i / params.ne0;
        let i1 = row % params.ne1;
        let i2 = row / params.ne1 % params.ne2;
        let i3 = row / params.ne1 / params.ne2;
        own += u32(src0[at(params.src0_view, i0, i1, i2, i3) >> 2u] == src1[at(params.src1_view, i0, i1, i2, i3) >> 2u]);
#else
        own += src0[(params.src0_view.offset >> 2u) + i];
#endif
    }
    atomicAdd(&all, own);
    workgroupBarrier();
    if (lane == 0u) {
#if FIRST
        dst[(params.dst_offset >> 2u) + group] = atomicLoad(&all);
#else
        // 64 bits, of which the upper ones stay empty.
        dst[params.dst_offset >> 2u] = atomicLoad(&all);
        dst[(params.dst_offset >> 2u) + 1u] = 0u;
#endif
    }
}
