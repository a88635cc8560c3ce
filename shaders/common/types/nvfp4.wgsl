// nvfp4 in a binding of words `Q`. 36 bytes for 64 elements: four scales for 16 elements each, as floats of four exponent and three
// mantissa bits, then 8 bytes of nibbles for each 16 elements (element j low, j + 8 high); an element is
// scale / 2 * the level of its nibble.
#import common/types/words q_ Q
#import common/types/levels
fn q_decode(bits: u32) -> f32 {
    let exponent = (bits >> 3u) & 15u;
    let mantissa = bits & 7u;
    let normal = bitcast<f32>(((exponent + 119u) << 23u) | (mantissa << 20u));
    let half = select(f32(mantissa) * 0.0009765625, normal, exponent > 0u);
    return select(half, 0.0, bits == 0x7fu);
}
fn q_scaled(w: u32, d: f32) -> vec4<f32> {
    return (q_bytes(fp4_levels(w)) - 16.0) * d;
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let block = row + (i >> 6u) * 36u;
    let s = (i >> 4u) & 3u;
    let w = q_word((block + 4u + s * 8u + (i & 7u)) >> 2u) >> ((i & 8u) >> 1u);
    return q_scaled(w, q_decode(q_u8(block + s)));
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 6u) * 36u;
    let s = (i >> 4u) & 3u;
    let d = q_decode(q_u8(block + s));
    let at = (block >> 2u) + 1u + s * 2u;
    let a = q_word(at);
    let b = q_word(at + 1u);
    return array<vec4<f32>, 4>(q_scaled(a, d), q_scaled(b, d), q_scaled(a >> 4u, d), q_scaled(b >> 4u, d));
}
#define q_HAS_RAW 1
fn q_raw16(row: u32, i: u32) -> q_Raw {
    let block = row + (i >> 6u) * 36u;
    let s = (i >> 4u) & 3u;
    let d = q_decode(q_u8(block + s));
    let at = (block >> 2u) + 1u + s * 2u;
    let a = q_word(at);
    let b = q_word(at + 1u);
    return q_biased16(vec4<u32>(fp4_levels(a), fp4_levels(b), fp4_levels(a >> 4u), fp4_levels(b >> 4u)), d, -16.0 * d);
}
#if q_WRITE
const q_BLOCK: u32 = 64u;
const q_VECTORS: u32 = 16u;
const q_BYTES: u32 = 36u;
const q_WORDS: u32 = 9u;
fn q_encode(v: f32) -> u32 {
    if (!(v > 0.0)) {
        return 0u;
    }
    let bits = bitcast<u32>(min(v, 448.0));
    let exponent = i32(bits >> 23u) - 120;
    if (exponent <= 0) {
        return min(u32(v * 512.0 + 0.5), 7u);
    }
    // Rounded up at half; the mantissa's carry goes to the exponent. The largest exponent has one value.
    let rounded = (u32(exponent) << 3u) + ((bits >> 20u) & 7u) + ((bits >> 19u) & 1u);
    return select(rounded, 0x7eu, rounded >= 0x78u);
}
fn q_put_block(byte: u32, x: ptr<function, array<vec4<f32>, q_VECTORS>>) {
    exact_begin(byte);
    var words: array<u32, q_WORDS>;
    for (var s = 0u; s < 4u; s++) {
        let high = max(max(abs((*x)[s * 4u]), abs((*x)[s * 4u + 1u])), max(abs((*x)[s * 4u + 2u]), abs((*x)[s * 4u + 3u])));
        let scale = q_encode(quotient(max(max(high.x, high.y), max(high.z, high.w)), 6.0));
        let d = q_decode(scale);
        words[0] |= scale << (s * 8u);
        for (var k = 0u; k < 2u; k++) {
            let at = s * 4u + k;
            let quants = fp4_nearest((*x)[at], d) | (fp4_nearest((*x)[at + 2u], d) << vec4<u32>(4u));
            words[1u + s * 2u + k] = select(pack4xU8(quants), 0u, d == 0.0);
        }
    }
    q_store(byte, &words);
}
#endif
