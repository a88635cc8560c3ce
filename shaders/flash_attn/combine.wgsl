// The second step of FLASH_ATTN_EXT where the keys of a row were split: joins the partial results of each row, which lie in scratch
// memory unscaled, with their maxima and sums behind them. One workgroup for each row.
#import common/grid
#import common/view
struct Params {
    rows: u32, // n_q * n_head * batch
    n_q: u32,
    n_head: u32,
    dv: u32,
    splits: u32,
    part_offset: u32,
    sinks_offset: u32,
    dst_view: View,
}
#params
#bind part: array<f32>
#bind dst: array<f32>
#if SINKS
#bind sinks: array<f32>
#endif
override wg_size: u32;

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = workgroup_index(id, count);
    if (row >= params.rows) {
        return;
    }
    let n = row % params.n_q;
    let head = row / params.n_q % params.n_head;
    let first = params.part_offset / 4u + row * params.splits * params.dv;
    let notes = params.part_offset / 4u + params.rows * params.splits * params.dv + row * params.splits * 2u;
#if SINKS
    let sink = sinks[params.sinks_offset / 4u + head];
    var most = sink;
#else
    var most = part[notes];
#endif
    for (var s = 0u; s < params.splits; s++) {
        most = max(most, part[notes + s * 2u]);
    }
#if SINKS
    var total = exp(sink - most);
#else
    var total = 0.0;
#endif
    for (var s = 0u; s < params.splits; s++) {
        total += exp(part[notes + s * 2u] - most) * part[notes + s * 2u + 1u];
    }
    let scale = select(1.0 / total, 0.0, total == 0.0);
    let to = at(params.dst_view, 0u, head, n, row / (params.n_q * params.n_head)) / 4u;
    for (var d = lane; d < params.dv; d += wg_size) {
        var x = 0.0;
        for (var s = 0u; s < params.splits; s++) {
            x += exp(part[notes + s * 2u] - most) * part[first + s * params.dv + d];
        }
        dst[to + d] = x * scale;
    }
}
