// q4_K in a binding of words `Q`. 144 bytes for 256 elements: the head of `k_scales`, 128 bytes of nibbles, 32 for each 64 elements
// (element l low, l + 32 high); an element is factor * nibble - subtrahend.
#import common/types/k_scales q_ Q
fn q_scaled(w: u32, s: vec2<f32>) -> vec4<f32> {
    return q_bytes(w & 0x0f0f0f0fu) * s.x - s.y;
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let block = row + (i >> 8u) * 144u;
    let e = i & 255u;
    let w = q_word((block + 16u + ((e & 192u) >> 1u) + (e & 31u)) >> 2u) >> ((e & 32u) >> 3u);
    return q_scaled(w, q_scale(block, e >> 5u));
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 8u) * 144u;
    let e = i & 255u;
    let s = q_scale(block, e >> 5u);
    let w = q_words4(block + 16u + ((e & 192u) >> 1u) + (e & 31u)) >> vec4<u32>((e & 32u) >> 3u);
    return array<vec4<f32>, 4>(q_scaled(w.x, s), q_scaled(w.y, s), q_scaled(w.z, s), q_scaled(w.w, s));
}
#define q_HAS_RAW 1
fn q_raw16(row: u32, i: u32) -> q_Raw {
    let block = row + (i >> 8u) * 144u;
    let e = i & 255u;
    let s = q_scale(block, e >> 5u);
    let w = q_words4(block + 16u + ((e & 192u) >> 1u) + (e & 31u)) >> vec4<u32>((e & 32u) >> 3u);
    return q_biased16(w & vec4<u32>(0x0f0f0f0fu), s.x, -s.y);
}
#if q_WRITE
const q_BLOCK: u32 = 256u;
const q_VECTORS: u32 = 64u;
const q_BYTES: u32 = 144u;
const q_WORDS: u32 = 36u;
fn q_put_block(byte: u32, x: ptr<function, array<vec4<f32>, q_VECTORS>>) {
    exact_begin(byte);
    var words: array<u32, q_WORDS>;
    var fits = q_put_scales(x, &words, 15.0, -1.0, 20);
    for (var k = 0u; k < 64u; k++) {
        let quants = q_quants((*x)[k], fits[k >> 3u], 15.0);
        words[4u + ((k >> 4u) << 3u) + (k & 7u)] |= pack4xU8(quants) << ((k & 8u) >> 1u);
    }
    q_store(byte, &words);
}
#endif
