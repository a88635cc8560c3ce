// A tile of TM rows of src0 (decoded to f16 on the way) times TN columns with matrix units: both in workgroup memory, TK deep; sums in
// f32. A subgroup computes RM by RN matrices of MM x MN; a workgroup of WG has WM by WN subgroups. k is a multiple of 16. RAW: src0 is
// f16 itself. A_LOADS, B_LOADS: pieces of 16 elements of src0, and of 8 of a column, that an invocation brings.
// The importing shader binds src0 and the `columns` that `mul_mat/activations` made, has k, m, depth and src0_nb1 in its parameters,
// and defines `column_start(c)`, the f16 at which column c of the tile begins (any one beyond the end), and
// `store_result(c, row, sum)`, called for rows below m.
// Loops over arrays and matrices are written out: indexed by variables, an NVIDIA driver keeps them in memory.
const WG: u32 = WM * WN * SUBGROUP;
const TM: u32 = WM * RM * MM;
const TN: u32 = WN * RN * MN;
// Rows of a tile are 16 bytes longer than needed, so that eight of them lie in different banks.
const STRIDE: u32 = TK + 8u;

var<workgroup> a_tile: array<f16, TM * STRIDE>;
var<workgroup> b_tile: array<f16, TN * STRIDE>;
var<workgroup> results: array<f32, WM * WN * MM * MN>;
// Where the columns begin from which an invocation brings pieces.
var<private> b_start: array<u32, B_LOADS>;
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

fn fetch(lane: u32, plane0: u32, m0: u32, k0: u32) {
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
            b_next[p] = columns[(b_start[p] + k0) / 8u + piece % (TK / 8u)];
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

// `plane0`: the byte at which src0 begins; `m0`: the tile's first row.
fn multiply_tile(plane0: u32, m0: u32, lane: u32, sg: u32, sg_lane: u32) {
    let own_m = sg / WN * (RM * MM);
    let own_n = sg % WN * (RN * MN);
#for p B_LOADS
    b_start[p] = column_start(min((lane + p * WG) / (TK / 8u), TN - 1u));
#endfor
    var sums: array<subgroup_matrix_result<f32, MN, MM>, RM * RN>;
    fetch(lane, plane0, m0, 0u);
    for (var k0 = 0u; k0 < params.depth; k0 += TK) {
        workgroupBarrier();
        put(lane);
        workgroupBarrier();
        if (k0 + TK < params.depth) {
            fetch(lane, plane0, m0, k0 + TK);
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
#for i RM
#for j RN
    subgroupMatrixStore(&results, own, sums[i * RN + j], true, MM);
    workgroupBarrier();
    for (var e = sg_lane; e < MM * MN; e += SUBGROUP) {
        let row = m0 + own_m + i * MM + e % MM;
        if (row < params.m) {
            store_result(own_n + j * MN + e / MM, row, results[own + e]);
        }
    }
    workgroupBarrier();
#endfor
#endfor
}
