// MUL_MAT with matrix units: tiles of TM rows of src0 (decoded to f16 on the way) and TN columns (f16, made by `activations.wgsl`) in
// workgroup memory, TK deep; sums in f32. A subgroup computes RM by RN matrices of MM x MN; a workgroup has WM by WN subgroups.
// k is a multiple of 16. RAW: src0 is f16 itself. A_LOADS, B_LOADS: pieces of 16 elements of src0, and of 8 of a column, that an
// invocation brings. Loops over arrays and matrices are written out: indexed by variables, an NVIDIA driver keeps them in memory.
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

const WG: u32 = WM * WN * SUBGROUP;
const TM: u32 = WM * RM * MM;
const TN: u32 = WN * RN * MN;
// Rows of a tile are 16 bytes longer than needed, so that eight of them lie in different banks.
const STRIDE: u32 = TK + 8u;
var<workgroup> a_tile: array<f16, TM * STRIDE>;
var<workgroup> b_tile: array<f16, TN * STRIDE>;
var<workgroup> results: array<f32, WM * WN * MM * MN>;
// What is on the way to the tiles.
var<private> a_next: array<array<vec4<f16>, 4>, A_LOADS>;
var<private> b_next: array<vec4<u32>, B_LOADS>;

fn a_piece(row: u32, i: u32) -> array<vec4<f16>, 4> {
    if (i >= params.k) {
        return array<vec4<f16>, 4>();
    }
#if RAW
    let at = (row + i * 2u) >> 4u;
    let a = src0[at];
    let b = src0[at + 1u];
    return array<vec4<f16>, 4>(bitcast<vec4<f16>>(a.xy), bitcast<vec4<f16>>(a.zw), bitcast<vec4<f16>>(b.xy), bitcast<vec4<f16>>(b.zw));
#else
    let v = src0_load16(row, i);
    return array<vec4<f16>, 4>(vec4<f16>(v[0]), vec4<f16>(v[1]), vec4<f16>(v[2]), vec4<f16>(v[3]));
#endif
}

fn fetch(lane: u32, plane0: u32, m0: u32, column0: u32, k0: u32) {
#for p A_LOADS
    {
        let piece = lane + p * WG;
        // Rows beyond the end repeat the last one; their results are not stored.
        let row = min(m0 + piece / (TK / 16u), params.m - 1u);
        if (TM * TK / 16u % WG == 0u || piece < TM * TK / 16u) {
            a_next[p] = a_piece(plane0 + row * params.src0_nb1, k0 + piece % (TK / 16u) * 16u);
        }
    }
#endfor
#for p B_LOADS
    {
        let piece = lane + p * WG;
        if (TN * TK / 8u % WG == 0u || piece < TN * TK / 8u) {
            b_next[p] = columns[(column0 + piece / (TK / 8u) * params.depth + k0) / 8u + piece % (TK / 8u)];
        }
    }
#endfor
}

fn put4(at: u32, v: vec4<f16>, b: bool) {
    if (b) {
        b_tile[at] = v.x;
        b_tile[at + 1u] = v.y;
        b_tile[at + 2u] = v.z;
        b_tile[at + 3u] = v.w;
    } else {
        a_tile[at] = v.x;
        a_tile[at + 1u] = v.y;
        a_tile[at + 2u] = v.z;
        a_tile[at + 3u] = v.w;
    }
}

fn put(lane: u32) {
#for p A_LOADS
    {
        let piece = lane + p * WG;
        let at = piece / (TK / 16u) * STRIDE + piece % (TK / 16u) * 16u;
        if (TM * TK / 16u % WG == 0u || piece < TM * TK / 16u) {
#for j 4
            put4(at + j * 4u, a_next[p][j], false);
#endfor
        }
    }
#endfor
#for p B_LOADS
    {
        let piece = lane + p * WG;
        let at = piece / (TK / 8u) * STRIDE + piece % (TK / 8u) * 8u;
        if (TN * TK / 8u % WG == 0u || piece < TN * TK / 8u) {
            put4(at, bitcast<vec4<f16>>(b_next[p].xy), true);
            put4(at + 4u, bitcast<vec4<f16>>(b_next[p].zw), true);
        }
    }
#endfor
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32, @builtin(subgroup_id) sg: u32, @builtin(subgroup_invocation_id) sg_lane: u32) {
    let tiles_m = (params.m + TM - 1u) / TM;
    let tiles_n = (params.n + TN - 1u) / TN;
    let group = workgroup_index(id, count);
    let batch = group / (tiles_m * tiles_n);
    if (batch >= params.batches) {
        return;
    }
    // Neighbouring workgroups share rows of src0.
    let tile = group % (tiles_m * tiles_n);
    let m0 = tile / tiles_n * TM;
    let n0 = tile % tiles_n * TN;
    let i2 = batch % params.ne2;
    let i3 = batch / params.ne2;
    let plane0 = params.src0_offset + (i2 / params.ratio2) * params.src0_nb2 + (i3 / params.ratio3) * params.src0_nb3;
    let column0 = params.columns_offset / 2u + (batch * params.padded + n0) * params.depth;
    let own_m = sg / WN * (RM * MM);
    let own_n = sg % WN * (RN * MN);

    var sums: array<subgroup_matrix_result<f32, MN, MM>, RM * RN>;
    fetch(lane, plane0, m0, column0, 0u);
    for (var k0 = 0u; k0 < params.depth; k0 += TK) {
        workgroupBarrier();
        put(lane);
        workgroupBarrier();
        if (k0 + TK < params.depth) {
            fetch(lane, plane0, m0, column0, k0 + TK);
        }
#for kq TK / MK
        {
            let kk = u32(kq * MK);
            var b: array<subgroup_matrix_right<f16, MN, MK>, RN>;
#for j RN
            b[j] = subgroupMatrixLoad<subgroup_matrix_right<f16, MN, MK>>(&b_tile, (own_n + j * MN) * STRIDE + kk, true, STRIDE);
#endfor
#for i RM
            {
                let a = subgroupMatrixLoad<subgroup_matrix_left<f16, MK, MM>>(&a_tile, (own_m + i * MM) * STRIDE + kk, false, STRIDE);
#for j RN
                sums[i * RN + j] = subgroupMatrixMultiplyAccumulate(a, b[j], sums[i * RN + j]);
#endfor
            }
#endfor
        }
#endfor
    }

    // Through workgroup memory, since single elements of a matrix cannot be reached.
    let own = sg * MM * MN;
    let out_stride = params.dst_nb1 / 4u;
    let plane = params.dst_offset / 4u + batch * out_stride * params.n;
#for i RM
#for j RN
            subgroupMatrixStore(&results, own, sums[i * RN + j], true, MM);
            workgroupBarrier();
            for (var e = sg_lane; e < MM * MN; e += SUBGROUP) {
                let column = n0 + own_n + j * MN + e / MM;
                let row = m0 + own_m + i * MM + e % MM;
                if (column < params.n && row < params.m) {
                    let scale = scales[params.scale_offset / 4u + batch * params.padded + column];
                    dst[plane + column * out_stride + row] = results[own + e] * scale;
                }
            }
            workgroupBarrier();
#endfor
#endfor
}
