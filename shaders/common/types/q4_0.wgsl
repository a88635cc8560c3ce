// q4_0 in a binding of words `Q`. 18 bytes for 32 elements: f16 scale d, 16 bytes of nibbles (element j low, j + 16 high);
// an element is d * (nibble - 8).
#import common/types/words q_ Q
fn q_scaled(w: u32, d: f32) -> vec4<f32> {
    return (q_bytes(w & 0x0f0f0f0fu) - 8.0) * d;
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let block = row + (i >> 5u) * 18u;
    return q_scaled(q_u32(block + 2u + (i & 15u)) >> ((i & 16u) >> 2u), q_f16(block));
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 5u) * 18u;
    let d = q_f16(block);
    let w = q_u32x4(block + 2u) >> vec4<u32>((i & 16u) >> 2u);
    return array<vec4<f32>, 4>(q_scaled(w.x, d), q_scaled(w.y, d), q_scaled(w.z, d), q_scaled(w.w, d));
}
#define q_HAS_RAW 1
fn q_raw16(row: u32, i: u32) -> q_Raw {
    let block = row + (i >> 5u) * 18u;
    let d = q_f16(block);
    return q_biased16((q_u32x4(block + 2u) >> vec4<u32>((i & 16u) >> 2u)) & vec4<u32>(0x0f0f0f0fu), d, -8.0 * d);
}
#if q_WRITE
const q_BLOCK: u32 = 32u;
const q_VECTORS: u32 = 8u;
const q_BYTES: u32 = 18u;
const q_WORDS: u32 = 5u;
fn q_put_block(byte: u32, x: ptr<function, array<vec4<f32>, q_VECTORS>>) {
    exact_begin(byte);
    var words: array<u32, q_WORDS>;
    let d = q_largest(x) / -8.0;
    let id = q_inverse(d);
    q_place(&words, 0u, q_half_bits(d));
    for (var k = 0u; k < 4u; k++) {
        let low = min(vec4<u32>(exact4((*x)[k] * id) + 8.5), vec4<u32>(15u));
        let high = min(vec4<u32>(exact4((*x)[k + 4u] * id) + 8.5), vec4<u32>(15u));
        q_place(&words, 2u + k * 4u, pack4xU8(low | (high << vec4<u32>(4u))));
    }
    q_store(byte, &words);
}
#endif
