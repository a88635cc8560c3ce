// q2_K in a binding of words `Q`. 84 bytes for 256 elements: 16 bytes with scale (low) and minimum (high) of 16 elements each, 64 bytes
// of 2-bit values, f16 d, f16 dmin; an element is d * scale * value - dmin * minimum. Each half of 128 elements has 32 bytes,
// of which byte l holds the elements l, l + 32, l + 64, l + 96.
#import common/types/words q_ Q
// Factor and subtrahend of the 16 elements at e.
fn q_scale(block: u32, e: u32) -> vec2<f32> {
    let s = q_u8(block + (e >> 4u));
    return unpack2x16float(q_word((block >> 2u) + 20u)) * vec2<f32>(f32(s & 15u), f32(s >> 4u));
}
// Byte of the value of element e; its bits begin at q_shift.
fn q_value_byte(e: u32) -> u32 {
    return 16u + ((e & 128u) >> 2u) + (e & 31u);
}
fn q_shift(e: u32) -> u32 {
    return (e & 96u) >> 4u;
}
fn q_scaled(w: u32, s: vec2<f32>) -> vec4<f32> {
    return q_bytes(w & 0x03030303u) * s.x - s.y;
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let block = row + (i >> 8u) * 84u;
    let e = i & 255u;
    return q_scaled(q_word((block + q_value_byte(e)) >> 2u) >> q_shift(e), q_scale(block, e));
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 8u) * 84u;
    let e = i & 255u;
    let s = q_scale(block, e);
    let w = q_words4(block + q_value_byte(e)) >> vec4<u32>(q_shift(e));
    return array<vec4<f32>, 4>(q_scaled(w.x, s), q_scaled(w.y, s), q_scaled(w.z, s), q_scaled(w.w, s));
}
#define q_HAS_RAW 1
fn q_raw16(row: u32, i: u32) -> q_Raw {
    let block = row + (i >> 8u) * 84u;
    let e = i & 255u;
    let s = q_scale(block, e);
    return q_biased16((q_words4(block + q_value_byte(e)) >> vec4<u32>(q_shift(e))) & vec4<u32>(0x03030303u), s.x, -s.y);
}
#if q_WRITE
const q_BLOCK: u32 = 256u;
const q_VECTORS: u32 = 64u;
const q_BYTES: u32 = 84u;
const q_WORDS: u32 = 21u;
#import common/types/k_fit
fn q_put_block(byte: u32, x: ptr<function, array<vec4<f32>, q_VECTORS>>) {
    exact_begin(byte);
    var words: array<u32, q_WORDS>;
    var fits: array<vec2<f32>, 16>;
    var most = vec2<f32>();
    for (var s = 0u; s < 16u; s++) {
        fits[s] = k_fit(x, s * 4u, 4u, 3.0, 0.0, -0.5, 15, true);
        most = max(most, fits[s]);
    }
    words[20] = pack2x16float(vec2<f32>(quotient(most.x, 15.0), quotient(most.y, 15.0)));
    let d = unpack_exact(words[20]);
    let inverse = select(vec2<f32>(quotient(15.0, most.x), quotient(15.0, most.y)), vec2<f32>(0.0), most <= vec2<f32>(0.0));
    for (var s = 0u; s < 16u; s++) {
        let scales = round(fits[s] * inverse);
        words[s >> 2u] |= (u32(scales.x) | (u32(scales.y) << 4u)) << ((s & 3u) * 8u);
        let fit = vec2<f32>(d.x * scales.x, exact(d.y * scales.y));
        for (var k = s * 4u; k < s * 4u + 4u; k++) {
            if (fit.x != 0.0) {
                let quants = vec4<u32>(clamp(round(quotient4((*x)[k] + fit.y, fit.x)), vec4<f32>(0.0), vec4<f32>(3.0)));
                words[4u + ((k >> 5u) << 3u) + (k & 7u)] |= pack4xU8(quants) << (((k >> 3u) & 3u) * 2u);
            }
        }
    }
    q_store(byte, &words);
}
#endif
