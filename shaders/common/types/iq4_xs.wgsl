// iq4_xs in a binding of words `Q`. 136 bytes for 256 elements: f16 d, 16 bits with the upper two bits and 4 bytes with the lower
// four of the scales of 32 elements each, 16 bytes of nibbles for each 32 elements (element j low, j + 16 high); an element is
// d * (scale - 32) * the level of its nibble.
#import common/types/words q_ Q
#import common/types/levels
fn q_scale(block: u32, s: u32) -> f32 {
    let head = q_word(block >> 2u);
    let low = q_word((block >> 2u) + 1u) >> (s * 4u);
    let high = head >> (16u + s * 2u);
    return unpack2x16float(head).x * (f32((low & 15u) | ((high & 3u) << 4u)) - 32.0);
}
fn q_scaled(w: u32, d: f32) -> vec4<f32> {
    return (q_bytes(iq4_levels(w)) - 128.0) * d;
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let block = row + (i >> 8u) * 136u;
    let s = (i & 255u) >> 5u;
    let w = q_word((block + 8u + s * 16u + (i & 15u)) >> 2u) >> ((i & 16u) >> 2u);
    return q_scaled(w, q_scale(block, s));
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 8u) * 136u;
    let s = (i & 255u) >> 5u;
    let d = q_scale(block, s);
    let w = q_words4(block + 8u + s * 16u) >> vec4<u32>((i & 16u) >> 2u);
    return array<vec4<f32>, 4>(q_scaled(w.x, d), q_scaled(w.y, d), q_scaled(w.z, d), q_scaled(w.w, d));
}
#define q_HAS_RAW 1
fn q_raw16(row: u32, i: u32) -> q_Raw {
    let block = row + (i >> 8u) * 136u;
    let s = (i & 255u) >> 5u;
    let d = q_scale(block, s);
    let w = q_words4(block + 8u + s * 16u) >> vec4<u32>((i & 16u) >> 2u);
    return q_biased16(vec4<u32>(iq4_levels(w.x), iq4_levels(w.y), iq4_levels(w.z), iq4_levels(w.w)), d, -128.0 * d);
}
#if q_WRITE
const q_BLOCK: u32 = 256u;
const q_VECTORS: u32 = 64u;
const q_BYTES: u32 = 136u;
const q_WORDS: u32 = 34u;
#import common/types/iq4_fit q_
fn q_put_block(byte: u32, x: ptr<function, array<vec4<f32>, q_VECTORS>>) {
    exact_begin(byte);
    var words: array<u32, q_WORDS>;
    var scales: array<f32, 8>;
    var largest = 0.0;
    for (var s = 0u; s < 8u; s++) {
        let most = q_extreme(x, s * 8u);
        if (abs(most) >= 1e-15) {
            // Of the plain inverse scale and seven on either side, the one with the least error.
            var sums = q_sums(x, s * 8u, quotient(1.0, quotient(most, 127.0)));
            var scale = select(quotient(sums.x, sums.y), 0.0, sums.y <= 0.0);
            var best = exact(scale * sums.x);
            for (var t = -7; t <= 7; t++) {
                sums = q_sums(x, s * 8u, quotient(f32(t) - 127.0, most));
                if (sums.y > 0.0 && exact(sums.x * sums.x) > exact(best * sums.y)) {
                    scale = quotient(sums.x, sums.y);
                    best = exact(scale * sums.x);
                }
            }
            scales[s] = scale;
            largest = select(largest, scale, abs(scale) > abs(largest));
        }
    }
    let d = -largest / 32.0;
    let id = q_inverse(d);
    words[0] = q_half_bits(d);
    for (var s = 0u; s < 8u; s++) {
        let scale = clamp(round(id * scales[s]), -32.0, 31.0);
        let bits = u32(scale + 32.0);
        words[0] |= (bits >> 4u) << (16u + s * 2u);
        words[1] |= (bits & 15u) << (s * 4u);
        let il = q_inverse(exact(d * scale));
        for (var k = 0u; k < 4u; k++) {
            let at = s * 8u + k;
            words[2u + s * 4u + k] = pack4xU8(q_nearest((*x)[at] * il) | (q_nearest((*x)[at + 4u] * il) << vec4<u32>(4u)));
        }
    }
    q_store(byte, &words);
}
#endif
