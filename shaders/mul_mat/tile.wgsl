// MUL_MAT for many columns without matrix units: a workgroup computes a tile of TM rows by TN columns of dst. VEC: src1 as vectors of
// four.
#import common/grid
struct Params {
    k: u32,
    m: u32,
    n: u32,
    ne2: u32,
    ratio2: u32,
    ratio3: u32,
    batches: u32,
    src0_offset: u32,
    src0_nb1: u32,
    src0_nb2: u32,
    src0_nb3: u32,
    src1_offset: u32,
    src1_nb1: u32,
    src1_nb2: u32,
    src1_nb3: u32,
    dst_offset: u32,
    dst_nb1: u32, // batches of dst follow each other
}
#params
#if VEC
#define src1_VEC 1
#endif
#bind src0: array<SRC0_WORD>
#bind src1: array<SRC1_WORD>
#bind dst: array<f32>
#import common/types/SRC0 q_=src0_ Q=src0
#import common/types/SRC1 q_=src1_ Q=src1

#import common/mat_tile

var<private> n0: u32;
var<private> plane1: u32;
var<private> plane: u32;

fn column_start(c: u32) -> u32 {
    return plane1 + min(n0 + c, params.n - 1u) * params.src1_nb1;
}

fn store_result(c: u32, row: u32, sum: f32) {
    if (n0 + c < params.n) {
        dst[plane + (n0 + c) * (params.dst_nb1 / 4u) + row] = sum;
    }
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tiles_m = (params.m + TM - 1u) / TM;
    let tiles_n = (params.n + TN - 1u) / TN;
    let group = workgroup_index(id, count);
    let batch = group / (tiles_m * tiles_n);
    if (batch >= params.batches) {
        return;
    }
    // Neighbouring workgroups share rows of src0, the larger matrix.
    let tile = group % (tiles_m * tiles_n);
    n0 = tile % tiles_n * TN;
    let i2 = batch % params.ne2;
    let i3 = batch / params.ne2;
    plane1 = params.src1_offset + i2 * params.src1_nb2 + i3 * params.src1_nb3;
    plane = params.dst_offset / 4u + batch * (params.dst_nb1 / 4u) * params.n;
    let plane0 = params.src0_offset + (i2 / params.ratio2) * params.src0_nb2 + (i3 / params.ratio3) * params.src0_nb3;
    multiply_tile(plane0, tile / tiles_n * TM, lane);
}
