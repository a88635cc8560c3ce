// SET_ROWS on several planes, which may share indices: an invocation for each piece (`common/set_row`).
#import common/grid
#import common/view
struct Params {
    count: u32, // pieces
    ne0: u32,   // pieces of a row
    ne1: u32,
    ne2: u32,
    index_ne1: u32,
    index_ne2: u32,
    first: u32,
    rows: u32,
    src_view: View,
    index_view: View,
    dst_view: View,
}
#params
#import common/set_row
override wg_size: u32;

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = workgroup_index(id, count) * wg_size + lane;
    if (i >= params.count) {
        return;
    }
    let i1 = i / params.ne0 % params.ne1;
    let plane = i / (params.ne0 * params.ne1);
    let i2 = plane % params.ne2;
    let i3 = plane / params.ne2;
    let row = row_at(at(params.index_view, i1, i2 % params.index_ne1, i3 % params.index_ne2, 0u));
    if (row < params.rows) {
        set_piece(i % params.ne0, at(params.src_view, 0u, i1, i2, i3), at(params.dst_view, 0u, row, i2, i3));
    }
}
