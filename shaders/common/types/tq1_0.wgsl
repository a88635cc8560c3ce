// tq1_0 in a binding of words `Q`. 54 bytes for 256 elements: 52 bytes that each hold up to five ternary digits as a fraction of 256,
// f16 d; an element is d * (digit - 1). Digit n of the bytes 0 to 31 are the elements 32 n + 0 to 31, that of the bytes 32 to 47 the
// elements 160 + 16 n + 0 to 15, that of the last four bytes the elements 240 + 4 n + 0 to 3.
#import common/types/words q_ Q
fn q_scaled(w: u32, n: u32, d: f32) -> vec4<f32> {
    // Digit n: times 3^n without the whole part, then times 3 for the whole part.
    let power = select((0x1b090301u >> (n * 8u)) & 255u, 81u, n == 4u);
    let fraction = (unpack4xU8(w) * power) & vec4<u32>(255u);
    return (vec4<f32>((fraction * 3u) >> vec4<u32>(8u)) - 1.0) * d;
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let block = row + (i >> 8u) * 54u;
    let e = i & 255u;
    var byte = e & 31u;
    var n = e >> 5u;
    if (e >= 240u) {
        byte = 48u;
        n = (e - 240u) >> 2u;
    } else if (e >= 160u) {
        byte = 32u + (e & 15u);
        n = (e - 160u) >> 4u;
    }
    return q_scaled(q_u32(block + byte), n, q_f16(block + 52u));
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 8u) * 54u;
    let e = i & 255u;
    let d = q_f16(block + 52u);
    if (e >= 240u) {
        let w = q_u32(block + 48u);
        return array<vec4<f32>, 4>(q_scaled(w, 0u, d), q_scaled(w, 1u, d), q_scaled(w, 2u, d), q_scaled(w, 3u, d));
    }
    let late = e >= 160u;
    let n = select(e >> 5u, (e - 160u) >> 4u, late);
    let w = q_u32x4(block + select(e & 31u, 32u, late));
    return array<vec4<f32>, 4>(q_scaled(w.x, n, d), q_scaled(w.y, n, d), q_scaled(w.z, n, d), q_scaled(w.w, n, d));
}
#if q_WRITE
const q_BLOCK: u32 = 256u;
const q_VECTORS: u32 = 64u;
const q_BYTES: u32 = 54u;
const q_WORDS: u32 = 14u;
// Digits of four elements: 0, 1, 2.
fn q_digits(v: vec4<f32>) -> vec4<u32> {
    return vec4<u32>(q_rounded(v) + 1);
}
fn q_put_block(byte: u32, x: ptr<function, array<vec4<f32>, q_VECTORS>>) {
    exact_begin(byte);
    var words: array<u32, q_WORDS>;
    let d = abs(q_largest(x));
    let id = q_inverse(d);
    // Four bytes at once: each takes its digits from vectors that lie `step` apart.
    for (var k = 0u; k < 13u; k++) {
        var first = k;
        var step = 8u;
        if (k == 12u) {
            first = 60u;
            step = 1u;
        } else if (k >= 8u) {
            first = 40u + k - 8u;
            step = 4u;
        }
        var number = vec4<u32>();
        for (var n = 0u; n < 5u; n++) {
            number *= 3u;
            if (k < 12u || n < 4u) {
                number += q_digits(exact4((*x)[first + n * step] * id));
            }
        }
        // As a fraction of 256, rounded up.
        words[k] = pack4xU8((number * 256u + 242u) / 243u);
    }
    words[13] = q_half_bits(d);
    q_store(byte, &words);
}
#endif
