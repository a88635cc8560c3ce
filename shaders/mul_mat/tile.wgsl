// MUL_MAT for many columns without matrix units: a workgroup computes TM rows by TN columns of dst from tiles of 16 along k in
// workgroup memory, f32 throughout; an invocation holds 4 by 4 results. VEC: src1 as vectors of four.
// TAIL: k is no multiple of 16 (whole), nor of 4 (part).
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

const WG: u32 = (TM / 4u) * (TN / 4u);
// Four values along k of one row (or column) each; four such pieces make the depth of 16.
var<workgroup> a: array<vec4<f32>, TM * 4u>;
var<workgroup> b: array<vec4<f32>, TN * 4u>;

#if TAIL == part
// Elements of a row that lie before its end, zeros behind it.
fn a_piece(row: u32, i: u32) -> vec4<f32> {
    if (i + 4u <= params.k) {
        return src0_row4(row, i);
    }
    var v = vec4<f32>();
    for (var j = 0u; i + j < params.k; j++) {
        v[j] = src0_get(row + (i + j) * SRC0_BYTES);
    }
    return v;
}
fn b_piece(row: u32, i: u32) -> vec4<f32> {
    if (i + 4u <= params.k) {
        return src1_row4(row, i);
    }
    var v = vec4<f32>();
    for (var j = 0u; i + j < params.k; j++) {
        v[j] = src1_get(row + (i + j) * SRC1_BYTES);
    }
    return v;
}
#elif TAIL == whole
fn a_piece(row: u32, i: u32) -> vec4<f32> {
    if (i >= params.k) {
        return vec4<f32>();
    }
    return src0_row4(row, i);
}
fn b_piece(row: u32, i: u32) -> vec4<f32> {
    if (i >= params.k) {
        return vec4<f32>();
    }
    return src1_row4(row, i);
}
#else
fn a_piece(row: u32, i: u32) -> vec4<f32> {
    return src0_row4(row, i);
}
fn b_piece(row: u32, i: u32) -> vec4<f32> {
    return src1_row4(row, i);
}
#endif

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
    let m0 = tile / tiles_n * TM;
    let n0 = tile % tiles_n * TN;
    let i2 = batch % params.ne2;
    let i3 = batch / params.ne2;
    let plane0 = params.src0_offset + (i2 / params.ratio2) * params.src0_nb2 + (i3 / params.ratio3) * params.src0_nb3;
    let plane1 = params.src1_offset + i2 * params.src1_nb2 + i3 * params.src1_nb3;

    var sums: array<vec4<f32>, 4>;
    let tm = lane % (TM / 4u);
    let tn = lane / (TM / 4u);
    for (var k0 = 0u; k0 < params.k; k0 += 16u) {
        for (var p = lane; p < TM * 4u; p += WG) {
            let i = k0 + (p % 4u) * 4u;
            let row = plane0 + min(m0 + p / 4u, params.m - 1u) * params.src0_nb1;
            a[(p % 4u) * TM + p / 4u] = a_piece(row, i);
        }
        for (var p = lane; p < TN * 4u; p += WG) {
            let i = k0 + (p % 4u) * 4u;
            let column = plane1 + min(n0 + p / 4u, params.n - 1u) * params.src1_nb1;
            b[(p % 4u) * TN + p / 4u] = b_piece(column, i);
        }
        workgroupBarrier();
        for (var q = 0u; q < 4u; q++) {
            let at_a = q * TM + tm;
            let at_b = q * TN + tn;
            let a0 = a[at_a];
            let a1 = a[at_a + TM / 4u];
            let a2 = a[at_a + TM / 2u];
            let a3 = a[at_a + TM / 4u * 3u];
#for j 4
            {
                let y = b[at_b + j * (TN / 4u)];
                sums[j] += vec4<f32>(dot(a0, y), dot(a1, y), dot(a2, y), dot(a3, y));
            }
#endfor
        }
        workgroupBarrier();
    }

    let stride = params.dst_nb1 / 4u;
    let plane = params.dst_offset / 4u + batch * stride * params.n;
#for j 4
    {
        let column = n0 + tn + j * (TN / 4u);
        if (column < params.n) {
#for i 4
            {
                let row = m0 + tm + i * (TM / 4u);
                if (row < params.m) {
                    dst[plane + column * stride + row] = sums[j][i];
                }
            }
#endfor
        }
    }
#endfor
}
