// q5_K in a binding of words `Q`. 176 bytes for 256 elements: the head of `k_scales`, 32 bytes of fifth bits (byte l: elements l,
// l + 32, ..., l + 224), 128 bytes of nibbles, 32 for each 64 elements (element l low, l + 32 high); an element is
// factor * value - subtrahend.
#import common/types/k_scales q_ Q
fn q_scaled(low: u32, high: u32, s: vec2<f32>) -> vec4<f32> {
    return q_bytes((low & 0x0f0f0f0fu) | ((high & 0x01010101u) << 4u)) * s.x - s.y;
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let block = row + (i >> 8u) * 176u;
    let e = i & 255u;
    let low = q_word((block + 48u + ((e & 192u) >> 1u) + (e & 31u)) >> 2u) >> ((e & 32u) >> 3u);
    return q_scaled(low, q_word((block + 16u + (e & 31u)) >> 2u) >> (e >> 5u), q_scale(block, e >> 5u));
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 8u) * 176u;
    let e = i & 255u;
    let s = q_scale(block, e >> 5u);
    let low = q_words4(block + 48u + ((e & 192u) >> 1u) + (e & 31u)) >> vec4<u32>((e & 32u) >> 3u);
    let high = q_words4(block + 16u + (e & 31u)) >> vec4<u32>(e >> 5u);
    return array<vec4<f32>, 4>(
        q_scaled(low.x, high.x, s),
        q_scaled(low.y, high.y, s),
        q_scaled(low.z, high.z, s),
        q_scaled(low.w, high.w, s)
    );
}
#define q_HAS_RAW 1
fn q_raw16(row: u32, i: u32) -> q_Raw {
    let block = row + (i >> 8u) * 176u;
    let e = i & 255u;
    let s = q_scale(block, e >> 5u);
    let low = q_words4(block + 48u + ((e & 192u) >> 1u) + (e & 31u)) >> vec4<u32>((e & 32u) >> 3u);
    let high = q_words4(block + 16u + (e & 31u)) >> vec4<u32>(e >> 5u);
    return q_biased16((low & vec4<u32>(0x0f0f0f0fu)) | ((high & vec4<u32>(0x01010101u)) << vec4<u32>(4u)), s.x, -s.y);
}
#if q_WRITE
const q_BLOCK: u32 = 256u;
const q_VECTORS: u32 = 64u;
const q_BYTES: u32 = 176u;
const q_WORDS: u32 = 44u;
fn q_put_block(byte: u32, x: ptr<function, array<vec4<f32>, q_VECTORS>>) {
    exact_begin(byte);
    var words: array<u32, q_WORDS>;
    var fits = q_put_scales(x, &words, 31.0, -0.5, 15);
    for (var k = 0u; k < 64u; k++) {
        let quants = q_quants((*x)[k], fits[k >> 3u], 31.0);
        words[12u + ((k >> 4u) << 3u) + (k & 7u)] |= pack4xU8(quants & vec4<u32>(15u)) << ((k & 8u) >> 1u);
        words[4u + (k & 7u)] |= pack4xU8(quants >> vec4<u32>(4u)) << (k >> 3u);
    }
    q_store(byte, &words);
}
#endif
