// CUMSUM: running sums of rows; one workgroup for each piece of a row. PIECES: `sums` holds the sum of every piece.
#import common/grid
#import common/view
struct Params {
    pieces: u32, // of each row
    size: u32,   // elements of a piece
    rows: u32,
    ne0: u32,
    ne1: u32,
    ne2: u32,
    src_view: View,
    dst_view: View,
    sums_offset: u32,
}
#params
override wg_size: u32;
#import common/reduce
#define dst_WRITE 1
#bind src: array<f32>
#bind dst: array<f32>
#import common/types/f32 q_=src_ Q=src
#import common/types/f32 q_=dst_ Q=dst
#if PIECES
#bind sums: array<f32>
#endif

var<workgroup> parts: array<f32, wg_size>;

// The sum of the values of all lanes before this one; `parts` ends with the sum of all.
fn running(lane: u32, value: f32) -> f32 {
    var sum = value;
    parts[lane] = sum;
    workgroupBarrier();
    for (var step = 1u; step < wg_size; step *= 2u) {
        if (lane >= step) {
            sum += parts[lane - step];
        }
        workgroupBarrier();
        parts[lane] = sum;
        workgroupBarrier();
    }
    return select(0.0, parts[max(lane, 1u) - 1u], lane > 0u);
}

const EACH = 4u; // neighbours of one invocation

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32, REDUCE_BUILTINS) {
    REDUCE_START
    let group = workgroup_index(id, count);
    let row = group / params.pieces;
    if (row >= params.rows) {
        return;
    }
    let piece = group % params.pieces;
    let i1 = row % params.ne1;
    let i2 = row / params.ne1 % params.ne2;
    let i3 = row / (params.ne1 * params.ne2);
    let start = at(params.src_view, 0u, i1, i2, i3);
    let to = at(params.dst_view, 0u, i1, i2, i3);
    let first = piece * params.size;
    let end = min(first + params.size, params.ne0);

    var before = 0.0;
#if PIECES
    for (var p = lane; p < piece; p += wg_size) {
        before += sums[params.sums_offset / 4u + row * params.pieces + p];
    }
    before = reduce_add(before);
#endif
    for (var base = first; base < end; base += wg_size * EACH) {
        var own: array<f32, EACH>;
        var sum = 0.0;
        for (var k = 0u; k < EACH; k++) {
            let i = base + lane * EACH + k;
            if (i < end) {
                sum += src_get(start + i * params.src_view.nb0);
            }
            own[k] = sum;
        }
        let ahead = before + running(lane, sum);
        for (var k = 0u; k < EACH; k++) {
            let i = base + lane * EACH + k;
            if (i < end) {
                dst_put(to + i * params.dst_view.nb0, ahead + own[k]);
            }
        }
        before += parts[wg_size - 1u];
        workgroupBarrier();
    }
}
