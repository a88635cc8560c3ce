// q5_0 in a binding of words `Q`. 22 bytes for 32 elements: f16 scale d, a word with the fifth bits, 16 bytes of nibbles (element j
// low, j + 16 high); an element is d * (value - 16).
#import common/types/words q_ Q
fn q_scaled(w: u32, high: u32, d: f32) -> vec4<f32> {
    return (q_bytes((w & 0x0f0f0f0fu) | (q_spread(high) << 4u)) - 16.0) * d;
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let block = row + (i >> 5u) * 22u;
    let w = q_u32(block + 6u + (i & 15u)) >> ((i & 16u) >> 2u);
    return q_scaled(w, q_u32(block + 2u) >> (i & 31u), q_f16(block));
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 5u) * 22u;
    let d = q_f16(block);
    let high = q_u16(block + 2u + ((i & 16u) >> 3u));
    let w = q_u32x4(block + 6u) >> vec4<u32>((i & 16u) >> 2u);
    return array<vec4<f32>, 4>(
        q_scaled(w.x, high, d),
        q_scaled(w.y, high >> 4u, d),
        q_scaled(w.z, high >> 8u, d),
        q_scaled(w.w, high >> 12u, d)
    );
}
#define q_HAS_RAW 1
fn q_raw16(row: u32, i: u32) -> q_Raw {
    let block = row + (i >> 5u) * 22u;
    let d = q_f16(block);
    let high = q_u16(block + 2u + ((i & 16u) >> 3u));
    let low = (q_u32x4(block + 6u) >> vec4<u32>((i & 16u) >> 2u)) & vec4<u32>(0x0f0f0f0fu);
    let fifth = vec4<u32>(q_spread(high), q_spread(high >> 4u), q_spread(high >> 8u), q_spread(high >> 12u));
    return q_biased16(low | (fifth << vec4<u32>(4u)), d, -16.0 * d);
}
#if q_WRITE
const q_BLOCK: u32 = 32u;
const q_VECTORS: u32 = 8u;
const q_BYTES: u32 = 22u;
const q_WORDS: u32 = 6u;
// Bit 4 of four values, at bits 0 to 3.
fn q_fifths(v: vec4<u32>) -> u32 {
    return dot((v >> vec4<u32>(4u)) & vec4<u32>(1u), vec4<u32>(1u, 2u, 4u, 8u));
}
fn q_put_block(byte: u32, x: ptr<function, array<vec4<f32>, q_VECTORS>>) {
    exact_begin(byte);
    var words: array<u32, q_WORDS>;
    let d = q_largest(x) / -16.0;
    let id = q_inverse(d);
    var fifths = 0u;
    q_place(&words, 0u, q_half_bits(d));
    for (var k = 0u; k < 4u; k++) {
        let low = min(vec4<u32>(exact4((*x)[k] * id) + 16.5), vec4<u32>(31u));
        let high = min(vec4<u32>(exact4((*x)[k + 4u] * id) + 16.5), vec4<u32>(31u));
        fifths |= (q_fifths(low) | (q_fifths(high) << 16u)) << (k * 4u);
        q_place(&words, 6u + k * 4u, pack4xU8((low & vec4<u32>(15u)) | ((high & vec4<u32>(15u)) << vec4<u32>(4u))));
    }
    q_place(&words, 2u, fifths);
    q_store(byte, &words);
}
#endif
