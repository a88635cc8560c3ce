// q5_1 in a binding of words `Q`. 24 bytes for 32 elements: f16 scale d, f16 minimum m, a word with the fifth bits, 16 bytes of
// nibbles (element j low, j + 16 high); an element is d * value + m.
#import common/types/words q_ Q
fn q_scaled(w: u32, high: u32, dm: vec2<f32>) -> vec4<f32> {
    return q_bytes((w & 0x0f0f0f0fu) | (q_spread(high) << 4u)) * dm.x + dm.y;
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let at = (row + (i >> 5u) * 24u) >> 2u;
    let w = q_word(at + 2u + ((i & 15u) >> 2u)) >> ((i & 16u) >> 2u);
    return q_scaled(w, q_word(at + 1u) >> (i & 31u), unpack2x16float(q_word(at)));
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 5u) * 24u;
    let dm = unpack2x16float(q_word(block >> 2u));
    let high = q_word((block >> 2u) + 1u) >> (i & 16u);
    let w = q_words4(block + 8u) >> vec4<u32>((i & 16u) >> 2u);
    return array<vec4<f32>, 4>(
        q_scaled(w.x, high, dm),
        q_scaled(w.y, high >> 4u, dm),
        q_scaled(w.z, high >> 8u, dm),
        q_scaled(w.w, high >> 12u, dm)
    );
}
#if q_WRITE
const q_BLOCK: u32 = 32u;
const q_VECTORS: u32 = 8u;
const q_BYTES: u32 = 24u;
const q_WORDS: u32 = 6u;
// Bit 4 of four values, at bits 0 to 3.
fn q_fifths(v: vec4<u32>) -> u32 {
    return dot((v >> vec4<u32>(4u)) & vec4<u32>(1u), vec4<u32>(1u, 2u, 4u, 8u));
}
fn q_put_block(byte: u32, x: ptr<function, array<vec4<f32>, q_VECTORS>>) {
    exact_begin(byte);
    var words: array<u32, q_WORDS>;
    let bounds = q_bounds(x);
    let d = quotient(bounds.y - bounds.x, 31.0);
    let id = q_inverse(d);
    words[0] = pack2x16float(vec2<f32>(d, bounds.x));
    for (var k = 0u; k < 4u; k++) {
        let low = min(vec4<u32>(exact4(((*x)[k] - bounds.x) * id) + 0.5), vec4<u32>(31u));
        let high = min(vec4<u32>(exact4(((*x)[k + 4u] - bounds.x) * id) + 0.5), vec4<u32>(31u));
        words[1] |= (q_fifths(low) | (q_fifths(high) << 16u)) << (k * 4u);
        words[k + 2u] = pack4xU8((low & vec4<u32>(15u)) | ((high & vec4<u32>(15u)) << vec4<u32>(4u)));
    }
    q_store(byte, &words);
}
#endif
