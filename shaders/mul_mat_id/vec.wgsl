// MUL_MAT_ID for few tokens: a workgroup computes rows of one pair of token and slot, whose expert it finds in ids.
// SLOTS: src1 has so many columns for a token, neither one nor one for each slot. FIRST, COUNT: src0 holds only these experts.
#import common/grid
struct Params {
    k: u32,
    m: u32,
    slots: u32,   // of a token
    pairs: u32,
    experts: u32,
    src0_offset: u32,
    src0_nb1: u32,
    src0_nb2: u32,
    src1_offset: u32,
    src1_nb1: u32,
    src1_nb2: u32,
    ids_offset: u32,
    ids_nb0: u32,
    ids_nb1: u32,
    dst_offset: u32,
    dst_nb1: u32, // pairs of dst follow each other
}
#params
#bind src0: array<SRC0_WORD>
#bind src1: array<SRC1_WORD>
#bind ids: array<i32>
#bind dst: array<f32>
#import common/types/SRC0 q_=src0_ Q=src0
#import common/types/SRC1 q_=src1_ Q=src1
#import common/mat_vec
#import common/pair_column
#import common/pair_expert

var<private> first_row: u32;
var<private> column: u32;
var<private> here: bool;

fn store_result(team: u32, v: u32, value: vec2<f32>) {
    let row = first_row + v;
    if (here && row < params.m) {
        dst[column + row] = value.x;
    }
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, MAT_VEC_BUILTINS) {
    let group = workgroup_index(id, count);
    // Neighbouring workgroups take the same rows of other pairs, which may be of the same expert.
    let part = group / params.pairs;
    if (part >= (params.m + WG / T * ROWS - 1u) / (WG / T * ROWS)) {
        return;
    }
    let pair = group % params.pairs;
    first_row = (part * (WG / T) + lane / T) * ROWS;
    column = params.dst_offset / 4u + pair * (params.dst_nb1 / 4u);
    var expert = expert_of(pair);
#if COUNT
    here = expert - FIRST < COUNT;
    expert -= FIRST;
#else
    here = true;
#endif
    if (here) {
        let plane0 = params.src0_offset + expert * params.src0_nb2;
        // Rows beyond the end repeat the last one; their results are not stored.
        var rows: array<u32, TEAM_ROWS>;
#for r ROWS
        rows[r] = plane0 + min(first_row + r, params.m - 1u) * params.src0_nb1;
#endfor
        accumulate(rows, column_of(pair), 0u, params.k, lane % T);
    }
    MAT_VEC_FINISH;
}
