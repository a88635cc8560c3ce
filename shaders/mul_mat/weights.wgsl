// Quantised rows of src0 as f16 for matrix units: 16 elements for each invocation.
#import common/grid
struct Params {
    pieces: u32, // pieces of 16 in all
    row_pieces: u32,
    m: u32,
    ne2: u32,
    src_offset: u32,
    src_nb1: u32,
    src_nb2: u32,
    src_nb3: u32,
    dst_offset: u32,
}
#params
override wg_size: u32;
#bind src: array<SRC_WORD>
#bind dst: array<vec4<f16>>
#import common/types/SRC q_=src_ Q=src

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let piece = workgroup_index(id, count) * wg_size + lane;
    if (piece >= params.pieces) {
        return;
    }
    let row = piece / params.row_pieces;
    let plane = row / params.m;
    let start = params.src_offset + (row % params.m) * params.src_nb1 + (plane % params.ne2) * params.src_nb2 + (plane / params.ne2) * params.src_nb3;
    let v = src_load16(start, (piece % params.row_pieces) * 16u);
    let to = params.dst_offset / 8u + piece * 4u;
    dst[to] = vec4<f16>(v[0]);
    dst[to + 1u] = vec4<f16>(v[1]);
    dst[to + 2u] = vec4<f16>(v[2]);
    dst[to + 3u] = vec4<f16>(v[3]);
}
