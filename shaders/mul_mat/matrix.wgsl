// MUL_MAT with matrix units: f16 rows of src0 and f16 columns (of `activations.wgsl`), sums in f32. A subgroup computes RM by RN
// matrices of MM x MN; a workgroup has WM by WN subgroups. k is a multiple of MK, m at least a tile.
#import common/grid
struct Params {
    k: u32,
    m: u32,
    n: u32,
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
#bind src0: array<f16>
#bind columns: array<f16>
#bind scales: array<f32>
#bind dst: array<f32>

const TM: u32 = WM * RM * MM;
const TN: u32 = WN * RN * MN;
var<workgroup> results: array<f32, WM * WN * MM * MN>;

@compute @workgroup_size(WM * WN * SUBGROUP)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(subgroup_id) sg: u32, @builtin(subgroup_invocation_id) lane: u32) {
    let tiles_m = (params.m + TM - 1u) / TM;
    let tiles_n = (params.n + TN - 1u) / TN;
    let group = workgroup_index(id, count);
    let batch = group / (tiles_m * tiles_n);
    if (batch >= params.batches) {
        return;
    }
    let tile = group % (tiles_m * tiles_n);
    // The last tile along m ends with the matrix: it repeats some rows of the one before.
    let m0 = min(tile / tiles_n * TM, params.m - TM) + sg / WN * (RM * MM);
    let n0 = tile % tiles_n * TN + sg % WN * (RN * MN);
    let i2 = batch % params.ne2;
    let i3 = batch / params.ne2;
    let stride = params.src0_nb1 / 2u;
    var a_at = (params.src0_offset + (i2 / params.ratio2) * params.src0_nb2 + (i3 / params.ratio3) * params.src0_nb3) / 2u + m0 * stride;
    var b_at = params.columns_offset / 2u + (batch * params.padded + n0) * params.k;

    var sums: array<subgroup_matrix_result<f32, MN, MM>, RM * RN>;
    for (var k0 = 0u; k0 < params.k; k0 += MK) {
        var b: array<subgroup_matrix_right<f16, MN, MK>, RN>;
        for (var j = 0u; j < RN; j++) {
            b[j] = subgroupMatrixLoad<subgroup_matrix_right<f16, MN, MK>>(&columns, b_at + j * MN * params.k, true, params.k);
        }
        for (var i = 0u; i < RM; i++) {
            let a = subgroupMatrixLoad<subgroup_matrix_left<f16, MK, MM>>(&src0, a_at + i * MM * stride, false, stride);
            for (var j = 0u; j < RN; j++) {
                sums[i * RN + j] = subgroupMatrixMultiplyAccumulate(a, b[j], sums[i * RN + j]);
            }
        }
        a_at += MK;
        b_at += MK;
    }

    // Through workgroup memory, since single elements of a matrix cannot be reached.
    let own = sg * MM * MN;
    let out_stride = params.dst_nb1 / 4u;
    let plane = params.dst_offset / 4u + batch * out_stride * params.n;
    for (var i = 0u; i < RM; i++) {
        for (var j = 0u; j < RN; j++) {
            subgroupMatrixStore(&results, own, sums[i * RN + j], true, MM);
            workgroupBarrier();
            for (var e = lane; e < MM * MN; e += SUBGROUP) {
                let column = n0 + j * MN + e / MM;
                if (column < params.n) {
                    let scale = scales[params.scale_offset / 4u + batch * params.padded + column];
                    dst[plane + column * out_stride + m0 + i * MM + e % MM] = results[own + e] * scale;
                }
            }
            workgroupBarrier();
        }
    }
}
