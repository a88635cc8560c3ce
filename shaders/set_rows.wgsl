// SET_ROWS on one plane: an invocation for each piece (`common/set_row`).
#import common/grid
struct Params {
    count: u32, // pieces
    ne0: u32,   // pieces of a row
    first: u32,
    rows: u32,
    src_offset: u32,
    src_nb1: u32,
    index_offset: u32,
    index_nb0: u32,
    dst_offset: u32,
    dst_nb1: u32,
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
    let i1 = i / params.ne0;
    let row = row_at(params.index_offset + i1 * params.index_nb0);
    if (row < params.rows) {
        set_piece(i % params.ne0, params.src_offset + i1 * params.src_nb1, params.dst_offset + row * params.dst_nb1);
    }
}
