// SOLVE_TRI: a * x = b for lower triangular a. A team of invocations for each column of x, which goes down its rows; invocation
// `part` of a team keeps the rows `part + TEAM * i` of x, which nobody else reads. NEAR: in the workgroup's memory, else in dst.
// `length` is the order of a.
#import common/grid
#import common/view
struct Params {
    columns: u32,
    planes: u32,
    ne2: u32,
    a_view: View,
    b_view: View,
    dst_view: View,
}
#params
#import common/team
#bind a: array<f32>
#bind b: array<f32>
#bind dst: array<f32>
#if NEAR
var<workgroup> near: array<f32, wg_size * EACH>;
#endif

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, TEAM_BUILTINS) {
    TEAM_START
    let blocks = (params.columns + wg_size / TEAM - 1u) / (wg_size / TEAM);
    let index = workgroup_index(id, count);
    let plane = index / blocks;
    if (plane >= params.planes) {
        return;
    }
    // All of a workgroup run to the end together: those behind the last column repeat it.
    let wanted = index % blocks * (wg_size / TEAM) + lane / TEAM;
    let column = min(wanted, params.columns - 1u);
    let part = lane % TEAM;
    let i2 = plane % params.ne2;
    let i3 = plane / params.ne2;
    let from_b = at(params.b_view, column, 0u, i2, i3);
    let to = at(params.dst_view, column, 0u, i2, i3);
    for (var row = 0u; row < length; row++) {
        let from_a = at(params.a_view, 0u, row, i2, i3);
        var sum = 0.0;
        for (var i = part; i < row; i += TEAM) {
#if NEAR
            let x = near[i / TEAM * wg_size + lane];
#else
            let x = dst[(to + i * params.dst_view.nb1) >> 2u];
#endif
            sum += a[(from_a + i * params.a_view.nb0) >> 2u] * x;
        }
        sum = team_sum(sum);
        if (row % TEAM == part) {
            let x = (b[(from_b + row * params.b_view.nb1) >> 2u] - sum) / a[(from_a + row * params.a_view.nb0) >> 2u];
#if NEAR
            near[row / TEAM * wg_size + lane] = x;
#endif
            if (wanted < params.columns) {
                dst[(to + row * params.dst_view.nb1) >> 2u] = x;
            }
        }
    }
}
