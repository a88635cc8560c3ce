// MUL_MAT_ID for many tokens without matrix units, second step: a workgroup computes TM rows of one expert for a tile of the table
// that `route.wgsl` made. VEC: src1 as vectors of four.
#import common/grid
struct Params {
    k: u32,
    m: u32,
    slots: u32,
    tiles: u32,
    src0_offset: u32,
    src0_nb1: u32,
    src0_nb2: u32,
    src1_offset: u32,
    src1_nb1: u32,
    src1_nb2: u32,
    list_offset: u32,
    table_offset: u32,
    dst_offset: u32,
    dst_nb1: u32, // pairs of dst follow each other
}
#params
#if VEC
#define src1_VEC 1
#endif
#bind src0: array<SRC0_WORD>
#bind src1: array<SRC1_WORD>
#bind list: array<u32>
#bind table: array<u32>
#bind dst: array<f32>
#import common/types/SRC0 q_=src0_ Q=src0
#import common/types/SRC1 q_=src1_ Q=src1
#import common/mat_tile
#import common/pair_column
#import common/pair_tile

fn column_start(c: u32) -> u32 {
    return places[c].x;
}

fn store_result(c: u32, row: u32, sum: f32) {
    if (c < length) {
        dst[places[c].y + row] = sum;
    }
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    // Neighbouring workgroups share rows of an expert.
    let group = workgroup_index(id, count);
    let m0 = group / params.tiles * TM;
    let entry = params.table_offset / 4u + group % params.tiles * 3u;
    let pairs = table[entry + 2u];
    if (m0 >= params.m || pairs == 0u) {
        return;
    }
    take_pairs(table[entry + 1u], pairs, lane);
    multiply_tile(params.src0_offset + table[entry] * params.src0_nb2, m0, lane);
}
