// q4_1 in a binding of words `Q`. 20 bytes for 32 elements: f16 scale d, f16 minimum m, 16 bytes of nibbles (element j low,
// j + 16 high); an element is d * nibble + m.
#import common/types/words q_ Q
fn q_scaled(w: u32, dm: vec2<f32>) -> vec4<f32> {
    return q_bytes(w & 0x0f0f0f0fu) * dm.x + dm.y;
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let at = (row + (i >> 5u) * 20u) >> 2u;
    return q_scaled(q_word(at + 1u + ((i & 15u) >> 2u)) >> ((i & 16u) >> 2u), unpack2x16float(q_word(at)));
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 5u) * 20u;
    let dm = unpack2x16float(q_word(block >> 2u));
    let w = q_words4(block + 4u) >> vec4<u32>((i & 16u) >> 2u);
    return array<vec4<f32>, 4>(q_scaled(w.x, dm), q_scaled(w.y, dm), q_scaled(w.z, dm), q_scaled(w.w, dm));
}
#define q_HAS_RAW 1
fn q_raw16(row: u32, i: u32) -> q_Raw {
    let block = row + (i >> 5u) * 20u;
    let dm = unpack2x16float(q_word(block >> 2u));
    return q_biased16((q_words4(block + 4u) >> vec4<u32>((i & 16u) >> 2u)) & vec4<u32>(0x0f0f0f0fu), dm.x, dm.y);
}
#if q_WRITE
const q_BLOCK: u32 = 32u;
const q_VECTORS: u32 = 8u;
const q_BYTES: u32 = 20u;
const q_WORDS: u32 = 5u;
fn q_put_block(byte: u32, x: ptr<function, array<vec4<f32>, q_VECTORS>>) {
    exact_begin(byte);
    var words: array<u32, q_WORDS>;
    let bounds = q_bounds(x);
    let d = quotient(bounds.y - bounds.x, 15.0);
    let id = q_inverse(d);
    words[0] = pack2x16float(vec2<f32>(d, bounds.x));
    for (var k = 0u; k < 4u; k++) {
        let low = min(vec4<u32>(exact4(((*x)[k] - bounds.x) * id) + 0.5), vec4<u32>(15u));
        let high = min(vec4<u32>(exact4(((*x)[k + 4u] - bounds.x) * id) + 0.5), vec4<u32>(15u));
        words[k + 1u] = pack4xU8(low | (high << vec4<u32>(4u)));
    }
    q_store(byte, &words);
}
#endif
