// GET_ROWS_BACK: row r of dst is the sum of the rows of src whose index is r, in their order; a workgroup for each part of a row.
#import common/grid
struct Params {
    rows: u32,   // of dst
    first: u32,  // number of its first row
    ne0: u32,
    parts: u32,  // of a row
    indices: u32,
    src_offset: u32,
    src_nb1: u32,
    index_offset: u32,
    index_nb0: u32,
    dst_offset: u32,
    dst_nb1: u32,
}
#params
override wg_size: u32;
#bind src: array<SRC_WORD>
#bind index: array<i32>
#bind dst: array<f32>
#import common/types/SRC q_=src_ Q=src

var<workgroup> hits: atomic<u32>;
var<workgroup> any: u32;

fn is_hit(i: u32, row: u32) -> bool {
    return u32(index[(params.index_offset + i * params.index_nb0) >> 2u]) == params.first + row;
}

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = workgroup_index(id, count);
    let row = group / params.parts;
    if (row >= params.rows) {
        return;
    }
    let i0 = group % params.parts * wg_size + lane;
    var sum = 0.0;
    for (var base = 0u; base < params.indices; base += wg_size) {
        // Most stretches of the indices don't name this row.
        if (lane == 0u) {
            atomicStore(&hits, 0u);
        }
        workgroupBarrier();
        if (base + lane < params.indices && is_hit(base + lane, row)) {
            atomicAdd(&hits, 1u);
        }
        workgroupBarrier();
        if (lane == 0u) {
            any = atomicLoad(&hits);
        }
        if (workgroupUniformLoad(&any) != 0u && i0 < params.ne0) {
            for (var i = base; i < min(base + wg_size, params.indices); i++) {
                if (is_hit(i, row)) {
                    sum += src_get(params.src_offset + i * params.src_nb1 + i0 * SRC_BYTES);
                }
            }
        }
    }
    if (i0 < params.ne0) {
        dst[(params.dst_offset + row * params.dst_nb1 + i0 * 4u) >> 2u] = sum;
    }
}
