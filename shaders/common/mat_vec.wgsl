// Dot products of rows of src0 with columns of src1, for the mat-vec kernels. A workgroup of WG invocations holds WG / T teams; a
// team of T invocations shares LANES_ROWS rows, each invocation taking every T-th piece of 16 along k, for COLS columns.
// The importing shader binds src0 and src1 and defines `store_result(team, v, sums)`: result v is that of row v / COLS, column v % COLS.
// PAIRS: every second half of the rows belongs to another matrix; store_result gets the sums of both.
// REDUCE: how a team sums up: shuffle (T lanes of one subgroup), subgroup (whole subgroups), memory.
// Loops over arrays are written out: indexed by variables, an NVIDIA driver keeps them in memory.
#if PAIRS
#define TEAM_ROWS 2u * ROWS
#else
#define TEAM_ROWS ROWS
#endif
const VALUES: u32 = TEAM_ROWS * COLS;
const RESULTS: u32 = ROWS * COLS;
var<private> sums: array<f32, VALUES>;
#if REDUCE == subgroup
var<workgroup> parts: array<f32, WG * VALUES / SUBGROUP_LEAST>;
#elif REDUCE == memory
var<workgroup> parts: array<f32, WG * VALUES>;
#endif

fn accumulate(rows: array<u32, TEAM_ROWS>, first_column: u32, column_step: u32, k: u32, worker: u32) {
#for v TEAM_ROWS * COLS
    sums[v] = 0.0;
#endfor
    let pieces = k / 16u;
    for (var piece = worker; piece < pieces; piece += T) {
        let at = piece * 16u;
#if src0_HAS_RAW
        var w: array<src0_Raw, TEAM_ROWS>;
#for r TEAM_ROWS
        w[r] = src0_raw16(rows[r], at);
#endfor
#else
        var w: array<array<vec4<f32>, 4>, TEAM_ROWS>;
#for r TEAM_ROWS
        w[r] = src0_load16(rows[r], at);
#endfor
#endif
#for c COLS
        {
            let column = first_column + c * column_step;
            let y0 = src1_row4(column, at);
            let y1 = src1_row4(column, at + 4u);
            let y2 = src1_row4(column, at + 8u);
            let y3 = src1_row4(column, at + 12u);
#if src0_HAS_RAW
            let total = dot((y0 + y1) + (y2 + y3), vec4<f32>(1.0));
#for r TEAM_ROWS
            {
                let product = dot(w[r].v[0], y0) + dot(w[r].v[1], y1) + dot(w[r].v[2], y2) + dot(w[r].v[3], y3);
                sums[r * COLS + c] += w[r].scale * product + w[r].shift * total;
            }
#endfor
#else
#for r TEAM_ROWS
            sums[r * COLS + c] += dot(w[r][0], y0) + dot(w[r][1], y1) + dot(w[r][2], y2) + dot(w[r][3], y3);
#endfor
#endif
        }
#endfor
    }
#if TAIL
    for (var i = pieces * 16u + worker; i < k; i += T) {
#for c COLS
        {
            let y = src1_get(first_column + c * column_step + i * SRC1_BYTES);
#for r TEAM_ROWS
            sums[r * COLS + c] += src0_get(rows[r] + i * SRC0_BYTES) * y;
#endfor
        }
#endfor
    }
#endif
}

#if REDUCE == subgroup
#define MAT_VEC_BUILTINS @builtin(local_invocation_index) lane: u32, @builtin(subgroup_id) sg_id: u32, @builtin(subgroup_invocation_id) sg_lane: u32, @builtin(subgroup_size) sg_size: u32
#define MAT_VEC_FINISH finish(lane, sg_id, sg_lane, sg_size)
// T is a multiple of the subgroup size; each team's subgroups follow each other.
fn part(v: u32, team: u32, each: u32) -> f32 {
    var sum = 0.0;
    for (var s = 0u; s < each; s++) {
        sum += parts[(team * each + s) * VALUES + v];
    }
    return sum;
}
fn finish(lane: u32, sg_id: u32, sg_lane: u32, sg_size: u32) {
#for v TEAM_ROWS * COLS
    {
        let sum = subgroupAdd(sums[v]);
        if (sg_lane == 0u) {
            parts[sg_id * VALUES + v] = sum;
        }
    }
#endfor
    workgroupBarrier();
    let each = T / sg_size;
#elif REDUCE == memory
#define MAT_VEC_BUILTINS @builtin(local_invocation_index) lane: u32
#define MAT_VEC_FINISH finish(lane)
fn part(v: u32, team: u32, each: u32) -> f32 {
    var sum = 0.0;
    for (var s = 0u; s < each; s++) {
        sum += parts[v * WG + team * each + s];
    }
    return sum;
}
fn finish(lane: u32) {
#for v TEAM_ROWS * COLS
    parts[v * WG + lane] = sums[v];
#endfor
    workgroupBarrier();
    let each = T;
#endif
#if REDUCE == shuffle
#define MAT_VEC_BUILTINS @builtin(local_invocation_index) lane: u32
#define MAT_VEC_FINISH finish(lane)
fn team_sum(own: f32) -> f32 {
    var sum = own;
    for (var half = T / 2u; half > 0u; half /= 2u) {
        sum += subgroupShuffleXor(sum, half);
    }
    return sum;
}
fn finish(lane: u32) {
#for v ROWS * COLS
    {
        let first = team_sum(sums[v]);
#if PAIRS
        let both = vec2<f32>(first, team_sum(sums[v + RESULTS]));
#else
        let both = vec2<f32>(first, 0.0);
#endif
        if (lane % T == v % T) {
            store_result(lane / T, v, both);
        }
    }
#endfor
}
#else
    let team = lane / T;
    for (var v = lane % T; v < RESULTS; v += T) {
#if PAIRS
        store_result(team, v, vec2<f32>(part(v, team, each), part(v + RESULTS, team, each)));
#else
        store_result(team, v, vec2<f32>(part(v, team, each), 0.0));
#endif
    }
}
#endif
