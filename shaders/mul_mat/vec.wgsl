// MUL_MAT for few columns: dst[m, n] = sum over k of src0[k, m] * src1[k, n]. A workgroup of WG invocations holds WG / T teams; a team
// of T invocations shares the products of ROWS rows with all COLS columns, each invocation taking every T-th piece of 16 along k.
// VEC: src1 as vectors of four. REDUCE: how a team sums up: shuffle (T lanes of one subgroup), subgroup (whole subgroups), memory.
#import common/grid
struct Params {
    k: u32,
    m: u32,
    ne2: u32,   // batches of dst
    ratio2: u32, // batches of src1 that share one of src0
    ratio3: u32,
    src0_offset: u32,
    src0_nb1: u32,
    src0_nb2: u32,
    src0_nb3: u32,
    src1_offset: u32,
    src1_nb1: u32,
    src1_nb2: u32,
    src1_nb3: u32,
    batches: u32,
    dst_offset: u32,
    dst_nb1: u32, // batches of dst follow each other
}
#params
#if VEC
#define src1_VEC 1
#endif
#if WIDE
#define src0_WIDE 1
#endif
#bind src0: array<SRC0_WORD>
#bind src1: array<SRC1_WORD>
#bind dst: array<f32>
#import common/types/SRC0 q_=src0_ Q=src0
#import common/types/SRC1 q_=src1_ Q=src1

const VALUES: u32 = ROWS * COLS;
#if REDUCE == subgroup
var<workgroup> parts: array<f32, WG * VALUES / SUBGROUP_LEAST>;
#elif REDUCE == memory
var<workgroup> parts: array<f32, WG * VALUES>;
#endif

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32,
#if REDUCE == subgroup
    @builtin(subgroup_id) sg_id: u32, @builtin(subgroup_invocation_id) sg_lane: u32, @builtin(subgroup_size) sg_size: u32,
#endif
) {
    let group = workgroup_index(id, count);
    let groups = (params.m + WG / T * ROWS - 1u) / (WG / T * ROWS);
    let batch = group / groups;
    if (batch >= params.batches) {
        return;
    }
    let i2 = batch % params.ne2;
    let i3 = batch / params.ne2;
    let team = lane / T;
    let worker = lane % T;
    let first = ((group % groups) * (WG / T) + team) * ROWS;
    let plane0 = params.src0_offset + (i2 / params.ratio2) * params.src0_nb2 + (i3 / params.ratio3) * params.src0_nb3;
    let plane1 = params.src1_offset + i2 * params.src1_nb2 + i3 * params.src1_nb3;

    var sums: array<f32, VALUES>;
    for (var v = 0u; v < VALUES; v++) {
        sums[v] = 0.0;
    }
    // Rows beyond the end repeat the last one; their results are not stored.
    var rows: array<u32, ROWS>;
    for (var r = 0u; r < ROWS; r++) {
        rows[r] = plane0 + min(first + r, params.m - 1u) * params.src0_nb1;
    }
    let pieces = params.k / 16u;
    for (var piece = worker; piece < pieces; piece += T) {
        let at = piece * 16u;
        var w: array<array<vec4<f32>, 4>, ROWS>;
        for (var r = 0u; r < ROWS; r++) {
            w[r] = src0_load16(rows[r], at);
        }
        for (var c = 0u; c < COLS; c++) {
            let column = plane1 + c * params.src1_nb1;
            let y0 = src1_row4(column, at);
            let y1 = src1_row4(column, at + 4u);
            let y2 = src1_row4(column, at + 8u);
            let y3 = src1_row4(column, at + 12u);
            for (var r = 0u; r < ROWS; r++) {
                sums[r * COLS + c] += dot(w[r][0], y0) + dot(w[r][1], y1) + dot(w[r][2], y2) + dot(w[r][3], y3);
            }
        }
    }
#if TAIL
    for (var i = pieces * 16u + worker; i < params.k; i += T) {
        for (var c = 0u; c < COLS; c++) {
            let y = src1_get(plane1 + c * params.src1_nb1 + i * SRC1_BYTES);
            for (var r = 0u; r < ROWS; r++) {
                sums[r * COLS + c] += src0_get(rows[r] + i * SRC0_BYTES) * y;
            }
        }
    }
#endif

    let stride = params.dst_nb1 / 4u;
    let plane = params.dst_offset / 4u + batch * stride * COLS;
#if REDUCE == shuffle
    for (var v = 0u; v < VALUES; v++) {
        var sum = sums[v];
        for (var half = T / 2u; half > 0u; half /= 2u) {
            sum += subgroupShuffleXor(sum, half);
        }
        let row = first + v / COLS;
        if (worker == 0u && row < params.m) {
            dst[plane + (v % COLS) * stride + row] = sum;
        }
    }
#elif REDUCE == subgroup
    // T is a multiple of the subgroup size; each team's subgroups follow each other.
    for (var v = 0u; v < VALUES; v++) {
        let sum = subgroupAdd(sums[v]);
        if (sg_lane == 0u) {
            parts[sg_id * VALUES + v] = sum;
        }
    }
    workgroupBarrier();
    let each = T / sg_size;
    for (var v = worker; v < VALUES; v += T) {
        var sum = 0.0;
        for (var s = 0u; s < each; s++) {
            sum += parts[(team * each + s) * VALUES + v];
        }
        let row = first + v / COLS;
        if (row < params.m) {
            dst[plane + (v % COLS) * stride + row] = sum;
        }
    }
#else
    for (var v = 0u; v < VALUES; v++) {
        parts[v * WG + lane] = sums[v];
    }
    workgroupBarrier();
    for (var v = worker; v < VALUES; v += T) {
        var sum = 0.0;
        for (var s = 0u; s < T; s++) {
            sum += parts[v * WG + team * T + s];
        }
        let row = first + v / COLS;
        if (row < params.m) {
            dst[plane + (v % COLS) * stride + row] = sum;
        }
    }
#endif
}
