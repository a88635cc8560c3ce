// MUL_MAT for few columns (COLS of them): dst[m, n] = sum over k of src0[k, m] * src1[k, n], in batches.
#import common/grid
struct Params {
    k: u32,
    m: u32,
    ne2: u32,   // batches of dst
    ratio2: u32, // batches of src1 that share one of src0
    ratio3: u32,
    batches: u32,
    src0_offset: u32,
    src0_nb1: u32,
    src0_nb2: u32,
    src0_nb3: u32,
    src1_offset: u32,
    src1_nb1: u32,
    src1_nb2: u32,
    src1_nb3: u32,
    dst_offset: u32,
    dst_nb1: u32, // batches of dst follow each other
}
#params
#bind src0: array<SRC0_WORD>
#bind src1: array<SRC1_WORD>
#bind dst: array<f32>
#import common/types/SRC0 q_=src0_ Q=src0
#import common/types/SRC1 q_=src1_ Q=src1
#import common/mat_vec

var<private> first_row: u32;
var<private> plane: u32;

fn store_result(team: u32, v: u32, value: vec2<f32>) {
    let row = first_row + v / COLS;
    if (row < params.m) {
        dst[plane + (v % COLS) * (params.dst_nb1 / 4u) + row] = value.x;
    }
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, MAT_VEC_BUILTINS) {
    let group = workgroup_index(id, count);
    let groups = (params.m + WG / T * ROWS - 1u) / (WG / T * ROWS);
    let batch = group / groups;
    if (batch >= params.batches) {
        return;
    }
    let i2 = batch % params.ne2;
    let i3 = batch / params.ne2;
    let plane0 = params.src0_offset + (i2 / params.ratio2) * params.src0_nb2 + (i3 / params.ratio3) * params.src0_nb3;
    let plane1 = params.src1_offset + i2 * params.src1_nb2 + i3 * params.src1_nb3;
    plane = params.dst_offset / 4u + batch * (params.dst_nb1 / 4u) * COLS;
    first_row = ((group % groups) * (WG / T) + lane / T) * ROWS;
    // Rows beyond the end repeat the last one; their results are not stored.
    var rows: array<u32, TEAM_ROWS>;
#for r ROWS
    rows[r] = plane0 + min(first_row + r, params.m - 1u) * params.src0_nb1;
#endfor
    accumulate(rows, plane1, params.src1_nb1, params.k, lane % T);
    MAT_VEC_FINISH;
}
