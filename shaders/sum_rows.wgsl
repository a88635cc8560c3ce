// SUM_ROWS, MEAN, and the steps of SUM: one workgroup for each piece of a row. VEC: rows as vectors of four.
#import common/grid
#import common/view
struct Params {
    pieces: u32, // of each row
    size: u32,   // elements of a piece
    rows: u32,
    ne0: u32,
    ne1: u32,
    ne2: u32,
    divisor: f32,
    src_view: View,
    dst_offset: u32, // sums of one row's pieces follow each other
    dst_nb1: u32,
    dst_nb2: u32,
    dst_nb3: u32,
}
#params
override wg_size: u32;
#import common/reduce
#define dst_WRITE 1
#if VEC
#define src_VEC 1
#endif
#bind src: array<SRC_WORD>
#bind dst: array<DST_WORD>
#import common/types/SRC q_=src_ Q=src
#import common/types/DST q_=dst_ Q=dst

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
    let first = piece * params.size;
    let end = min(first + params.size, params.ne0);
#if VEC
    var four = vec4<f32>(0.0);
    for (var i = first + lane * 4u; i < end; i += wg_size * 4u) {
        four += src_get4(start + i * SRC_BYTES);
    }
    let sum = (four.x + four.y) + (four.z + four.w);
#else
    var sum = 0.0;
    for (var i = first + lane; i < end; i += wg_size) {
        sum += src_get(start + i * params.src_view.nb0);
    }
#endif
    let all = reduce_add(sum);
    if (lane == 0u) {
        let to = params.dst_offset + piece * 4u + i1 * params.dst_nb1 + i2 * params.dst_nb2 + i3 * params.dst_nb3;
        dst_put(to, all / params.divisor);
    }
}
