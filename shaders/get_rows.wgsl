// GET_ROWS: rows of src at given indices, as floats (or integers). ROW4: four elements for each invocation, else one.
// Rows outside of the window `first`, `rows` are left to other dispatches.
#import common/grid
#import common/view
struct Params {
    count: u32, // elements of dst, or groups of four
    ne0: u32,   // of a row
    ne1: u32,
    ne2: u32,
    first: u32,
    rows: u32,
    src_view: View,
    index_view: View,
    dst_view: View,
}
#params
#define dst_WRITE 1
#bind src: array<SRC_WORD>
#bind index: array<i32>
#bind dst: array<DST_WORD>
#import common/types/SRC q_=src_ Q=src
#import common/types/DST q_=dst_ Q=dst
override wg_size: u32;

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = workgroup_index(id, count) * wg_size + lane;
    if (i >= params.count) {
        return;
    }
    let i0 = i % params.ne0;
    let row = i / params.ne0;
    let i1 = row % params.ne1;
    let plane = row / params.ne1;
    let i2 = plane % params.ne2;
    let i3 = plane / params.ne2;
    let source = u32(index[at(params.index_view, i1, i2, i3, 0u) >> 2u]) - params.first;
    if (source >= params.rows) {
        return;
    }
    let start = at(params.src_view, 0u, source, i2, i3);
    let to = at(params.dst_view, 0u, i1, i2, i3);
#if ROW4
    dst_put4(to + i0 * 16u, src_row4(start, i0 * 4u));
#else
    dst_put(to + i0 * 4u, src_get(start + i0 * SRC_BYTES));
#endif
}
