// MUL_MAT_ID for many tokens with matrix units: a workgroup computes TM rows of one expert for a tile of the table that `route.wgsl`
// made, from the f16 columns that `mul_mat/activations` made.
#import common/grid
struct Params {
    k: u32,
    m: u32,
    slots: u32,
    columns: u32, // of src1 for a token
    depth: u32,   // k up to a multiple of TK: length of a column
    tiles: u32,
    src0_offset: u32,
    src0_nb1: u32,
    src0_nb2: u32,
    columns_offset: u32,
    scale_offset: u32,
    list_offset: u32,
    table_offset: u32,
    dst_offset: u32,
    dst_nb1: u32, // pairs of dst follow each other
}
#params
#bind src0: array<SRC0_WORD>
#bind columns: array<vec4<u32>>
#bind scales: array<f32>
#bind list: array<u32>
#bind table: array<u32>
#bind dst: array<f32>
#import common/types/SRC0 q_=src0_ Q=src0
#import common/mat_matrix
#import common/pair_tile

// The pair's number in `columns`.
fn column_of(pair: u32) -> u32 {
    return pair / params.slots * params.columns + pair % params.slots % params.columns;
}

fn column_start(c: u32) -> u32 {
    return params.columns_offset / 2u + places[c].x * params.depth;
}

fn store_result(c: u32, row: u32, sum: f32) {
    if (c < length) {
        dst[places[c].y + row] = sum * scales[params.scale_offset / 4u + places[c].x];
    }
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32, @builtin(subgroup_id) sg: u32, @builtin(subgroup_invocation_id) sg_lane: u32) {
    // Neighbouring workgroups share rows of an expert.
    let group = workgroup_index(id, count);
    let m0 = group / params.tiles * TM;
    let entry = params.table_offset / 4u + group % params.tiles * 3u;
    let pairs = table[entry + 2u];
    if (m0 >= params.m || pairs == 0u) {
        return;
    }
    take_pairs(table[entry + 1u], pairs, lane);
    multiply_tile(params.src0_offset + table[entry] * params.src0_nb2, m0, lane, sg, sg_lane);
}
