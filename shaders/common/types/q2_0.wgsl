// q2_0 in a binding of words `Q`. 18 bytes for 64 elements: f16 d, 16 bytes of 2-bit values, four neighbours in a byte; an element is
// d * (value - 1).
#import common/types/words q_ Q
fn q_scaled(bits: u32, d: f32) -> vec4<f32> {
    return (vec4<f32>((vec4<u32>(bits) >> vec4<u32>(0u, 2u, 4u, 6u)) & vec4<u32>(3u)) - 1.0) * d;
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let block = row + (i >> 6u) * 18u;
    return q_scaled(q_u8(block + 2u + ((i & 63u) >> 2u)), q_f16(block));
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 6u) * 18u;
    let d = q_f16(block);
    let bits = q_u32(block + 2u + ((i & 63u) >> 2u));
    return array<vec4<f32>, 4>(q_scaled(bits, d), q_scaled(bits >> 8u, d), q_scaled(bits >> 16u, d), q_scaled(bits >> 24u, d));
}
#if q_WRITE
const q_BLOCK: u32 = 64u;
const q_VECTORS: u32 = 16u;
const q_BYTES: u32 = 18u;
const q_WORDS: u32 = 5u;
fn q_put_block(byte: u32, x: ptr<function, array<vec4<f32>, q_VECTORS>>) {
    exact_begin(byte);
    var words: array<u32, q_WORDS>;
    let d = abs(q_largest(x));
    let id = q_inverse(d);
    q_place(&words, 0u, q_half_bits(d));
    for (var k = 0u; k < 16u; k++) {
        let v = exact4((*x)[k] * id);
        let quants = vec4<u32>(q_rounded(v) + 1);
        q_place(&words, 2u + k, dot(quants, vec4<u32>(1u, 4u, 16u, 64u)));
    }
    q_store(byte, &words);
}
#endif
