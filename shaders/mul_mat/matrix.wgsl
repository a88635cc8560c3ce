// MUL_MAT for many columns with matrix units, which `activations.wgsl` made f16: a workgroup computes a tile of TM rows by TN columns.
#import common/grid
struct Params {
    k: u32,
    m: u32,
    n: u32,
    depth: u32,  // k up to a multiple of TK: length of a column
    padded: u32, // columns of a batch with their filling
    ne2: u32,
    ratio2: u32,
    ratio3: u32,
    batches: u32,
    src0_offset: u32,
    src0_nb1: u32,
    src0_nb2: u32,
    src0_nb3: u32,
    columns_offset: u32,
    scale_offset: u32,
    dst_offset: u32,
    dst_nb1: u32, // batches of dst follow each other
}
#params
#bind src0: array<SRC0_WORD>
#bind columns: array<vec4<u32>>
#bind scales: array<f32>
#bind dst: array<f32>
#import common/types/SRC0 q_=src0_ Q=src0
#import common/mat_matrix

var<private> batch: u32;
var<private> n0: u32;

fn column_start(c: u32) -> u32 {
    return params.columns_offset / 2u + (batch * params.padded + n0 + c) * params.depth;
}

fn store_result(c: u32, row: u32, sum: f32) {
    let column = n0 + c;
    if (column < params.n) {
        let scale = scales[params.scale_offset / 4u + batch * params.padded + column];
        dst[params.dst_offset / 4u + (batch * params.n + column) * (params.dst_nb1 / 4u) + row] = sum * scale;
    }
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32, @builtin(subgroup_id) sg: u32, @builtin(subgroup_invocation_id) sg_lane: u32) {
    let tiles_m = (params.m + TM - 1u) / TM;
    let tiles_n = (params.n + TN - 1u) / TN;
    let group = workgroup_index(id, count);
    batch = group / (tiles_m * tiles_n);
    if (group >= params.batches * tiles_m * tiles_n) {
        return;
    }
    // Neighbouring workgroups share rows of src0.
    let tile = group % (tiles_m * tiles_n);
    n0 = tile % tiles_n * TN;
    let i2 = batch % params.ne2;
    let i3 = batch / params.ne2;
    let plane0 = params.src0_offset + (i2 / params.ratio2) * params.src0_nb2 + (i3 / params.ratio3) * params.src0_nb3;
    multiply_tile(plane0, tile / tiles_n * TM, lane, sg, sg_lane);
}
