// A tile of TM rows of src0 times TN columns of src1 without matrix units: pieces of 16 along k in workgroup memory, f32 throughout;
// an invocation of WG holds 4 by 4 results. TAIL: k is no multiple of 16 (whole), nor of 4 (part).
// The importing shader binds src0 and src1, has k, m and src0_nb1 in its parameters, and defines `column_start(c)`, the byte at which
// column c of the tile begins (any readable one beyond the end), and `store_result(c, row, sum)`, called for rows below m.
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

// `plane0`: the byte at which src0 begins; `m0`: the tile's first row.
fn multiply_tile(plane0: u32, m0: u32, lane: u32) {
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
            b[(p % 4u) * TN + p / 4u] = b_piece(column_start(p / 4u), i);
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
#for i 4
    {
        let row = m0 + tm + i * (TM / 4u);
        if (row < params.m) {
#for j 4
            store_result(tn + j * (TN / 4u), row, sums[j][i]);
#endfor
        }
    }
#endfor
}
