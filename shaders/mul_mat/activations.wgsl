// Columns of src1 as f16 for matrix units, each divided by a power of two so that its largest value is far from f16's limit.
// One workgroup for each column of each batch; columns up to a multiple of the tile are filled with zeros.
#import common/grid
struct Params {
    k: u32,
    depth: u32,  // k up to a multiple of the tile's depth, filled with zeros
    n: u32,
    padded: u32, // columns of a batch with the filling
    ne2: u32,
    batches: u32,
    src_offset: u32,
    src_nb1: u32,
    src_nb2: u32,
    src_nb3: u32,
    dst_offset: u32,
    scale_offset: u32,
}
#params
override wg_size: u32;
#import common/reduce
#if VEC
#define src_VEC 1
#endif
#bind src: array<SRC_WORD>
#bind dst: array<vec4<f16>>
#bind scales: array<f32>
#import common/types/SRC q_=src_ Q=src

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32, REDUCE_BUILTINS) {
    REDUCE_START
    let column = workgroup_index(id, count);
    let batch = column / params.padded;
    if (batch >= params.batches) {
        return;
    }
    let i1 = column % params.padded;
    let to = params.dst_offset / 8u + column * (params.depth / 4u);
    if (i1 >= params.n) {
        for (var i = lane; i < params.depth / 4u; i += wg_size) {
            dst[to + i] = vec4<f16>();
        }
        return;
    }
    let row = params.src_offset + i1 * params.src_nb1 + (batch % params.ne2) * params.src_nb2 + (batch / params.ne2) * params.src_nb3;
    var most = 0.0;
    for (var i = lane; i < params.k / 4u; i += wg_size) {
        let v = abs(src_row4(row, i * 4u));
        most = max(most, max(max(v.x, v.y), max(v.z, v.w)));
    }
    most = reduce_max(most);
    // The exponent of the largest value moves to 2^10: room for rounding above, 24 binary places below. Zero, inf and NaN stay.
    let exponent = i32(bitcast<u32>(most) >> 23u) - 127;
    let shift = select(clamp(10 - exponent, -100, 100), 0, exponent == -127 || exponent == 128);
    let factor = bitcast<f32>(u32(127 + shift) << 23u);
    for (var i = lane; i < params.k / 4u; i += wg_size) {
        dst[to + i] = vec4<f16>(src_row4(row, i * 4u) * factor);
    }
    for (var i = params.k / 4u + lane; i < params.depth / 4u; i += wg_size) {
        dst[to + i] = vec4<f16>();
    }
    if (lane == 0u) {
        scales[params.scale_offset / 4u + column] = bitcast<f32>(u32(127 - shift) << 23u);
    }
}
