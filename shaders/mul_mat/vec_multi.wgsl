// Several MUL_MATs of one src1 in one dispatch, for few columns: up to three matrices of one type that lie in one binding.
// GLU: two matrices of one size, of which only the gated product is stored: OP(row of the first) times row of the second.
#import common/grid
struct Params {
    k: u32,
    src0_nb1: u32,
    src1_offset: u32,
    src1_nb1: u32,
    a_rows: u32,
    a_offset: u32,
    a_dst_offset: u32,
    b_rows: u32,
    b_offset: u32,
    b_dst_offset: u32,
    c_rows: u32,
    c_offset: u32,
    c_dst_offset: u32,
}
#params
#if GLU
#define PAIRS 1
#import common/gate
#endif
#bind src0: array<SRC0_WORD>
#bind src1: array<SRC1_WORD>
#bind a_dst: array<f32>
#if !GLU
#bind b_dst: array<f32>
#if MATRICES == 3
#bind c_dst: array<f32>
#endif
#endif
#import common/types/SRC0 q_=src0_ Q=src0
#import common/types/SRC1 q_=src1_ Q=src1
#import common/mat_vec

var<private> matrix: u32;
var<private> matrix_rows: u32;
var<private> first_row: u32;

fn store_result(team: u32, v: u32, value: vec2<f32>) {
    let row = first_row + v / COLS;
    if (row >= matrix_rows) {
        return;
    }
    let at = (v % COLS) * matrix_rows + row;
#if GLU
    a_dst[params.a_dst_offset / 4u + at] = gate(value.x) * value.y;
#else
    if (matrix == 0u) {
        a_dst[params.a_dst_offset / 4u + at] = value.x;
    } else if (matrix == 1u) {
        b_dst[params.b_dst_offset / 4u + at] = value.x;
    }
#if MATRICES == 3
    else {
        c_dst[params.c_dst_offset / 4u + at] = value.x;
    }
#endif
#endif
}

fn groups_of(rows: u32) -> u32 {
    return (rows + WG / T * ROWS - 1u) / (WG / T * ROWS);
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, MAT_VEC_BUILTINS) {
    var group = workgroup_index(id, count);
    var base = params.a_offset;
    matrix_rows = params.a_rows;
#if GLU
    if (group >= groups_of(params.a_rows)) {
        return;
    }
#else
    let a_groups = groups_of(params.a_rows);
    let b_groups = groups_of(params.b_rows);
    if (group >= a_groups + b_groups + groups_of(params.c_rows)) {
        return;
    }
    if (group >= a_groups + b_groups) {
        matrix = 2u;
        group -= a_groups + b_groups;
        base = params.c_offset;
        matrix_rows = params.c_rows;
    } else if (group >= a_groups) {
        matrix = 1u;
        group -= a_groups;
        base = params.b_offset;
        matrix_rows = params.b_rows;
    }
#endif
    first_row = (group * (WG / T) + lane / T) * ROWS;
    var rows: array<u32, TEAM_ROWS>;
#for r ROWS
    {
        let at = min(first_row + r, matrix_rows - 1u) * params.src0_nb1;
        rows[r] = base + at;
#if GLU
        rows[r + ROWS] = params.b_offset + at;
#endif
    }
#endfor
    accumulate(rows, params.src1_offset, params.src1_nb1, params.k, lane % T);
    MAT_VEC_FINISH;
}
