// Loads at any byte address from a binding of words `Q` (atomic words where q_WRITE is defined), and bytes as vectors.
// Reads only words that hold a byte asked for.
fn q_word(i: u32) -> u32 {
#if q_WRITE
    return atomicLoad(&Q[i]);
#else
    return Q[i];
#endif
}
fn q_u8(byte: u32) -> u32 {
    return (q_word(byte >> 2u) >> ((byte & 3u) * 8u)) & 0xffu;
}
// At an even address.
fn q_u16(byte: u32) -> u32 {
    return (q_word(byte >> 2u) >> ((byte & 2u) * 8u)) & 0xffffu;
}
fn q_f16(byte: u32) -> f32 {
    return unpack2x16float(q_u16(byte)).x;
}
// The upper word is shifted in two steps, since a shift by 32 is none.
fn q_u32(byte: u32) -> u32 {
    let shift = (byte & 3u) * 8u;
    return (q_word(byte >> 2u) >> shift) | ((q_word((byte + 3u) >> 2u) << 1u) << (31u - shift));
}
fn q_u32x4(byte: u32) -> vec4<u32> {
    let i = byte >> 2u;
    let shift = vec4<u32>((byte & 3u) * 8u);
    let w = vec4<u32>(q_word(i), q_word(i + 1u), q_word(i + 2u), q_word(i + 3u));
    return (w >> shift) | ((vec4<u32>(w.yzw, q_word((byte + 15u) >> 2u)) << vec4<u32>(1u)) << (vec4<u32>(31u) - shift));
}
// At a multiple of four.
fn q_words4(byte: u32) -> vec4<u32> {
    let i = byte >> 2u;
    return vec4<u32>(q_word(i), q_word(i + 1u), q_word(i + 2u), q_word(i + 3u));
}
fn q_bytes(w: u32) -> vec4<f32> {
    return vec4<f32>(unpack4xU8(w));
}
// Four bits, one in each byte at bit 0.
fn q_spread(bits: u32) -> u32 {
    return ((bits & 15u) * 0x00204081u) & 0x01010101u;
}
// 16 elements for dot products: element = scale * v + shift. `v` is the stored number plus 1024, which costs less than a conversion:
// bits below the implicit one of an f16 between 1024 and 2048.
struct q_Raw {
    v: array<vec4<f32>, 4>,
    scale: f32,
    shift: f32,
}
// Four bytes below 256, plus 1024.
fn q_biased(w: u32) -> vec4<f32> {
    let even = unpack2x16float((w & 0x00ff00ffu) | 0x64006400u);
    let odd = unpack2x16float(((w >> 8u) & 0x00ff00ffu) | 0x64006400u);
    return vec4<f32>(even.x, odd.x, even.y, odd.y);
}
fn q_biased16(w: vec4<u32>, scale: f32, shift: f32) -> q_Raw {
    return q_Raw(array<vec4<f32>, 4>(q_biased(w.x), q_biased(w.y), q_biased(w.z), q_biased(w.w)), scale, shift - 1024.0 * scale);
}
#if q_WRITE
#import common/exact
// What encodes a block of q_BLOCK elements into q_BYTES bytes: its words are built in `array<u32, q_WORDS>`, the first byte lowest.
fn q_place(words: ptr<function, array<u32, q_WORDS>>, byte: u32, v: u32) {
    let i = byte >> 2u;
    let shift = (byte & 3u) * 8u;
    (*words)[i] |= v << shift;
    if (shift != 0u && i + 1u < q_WORDS) {
        (*words)[i + 1u] |= (v >> 1u) >> (31u - shift);
    }
}
// Neighbours in the first and the last word may be stored at the same time: there, two steps touch only this block's bits.
fn q_store(byte: u32, words: ptr<function, array<u32, q_WORDS>>) {
    let shift = (byte & 3u) * 8u;
    let first = byte >> 2u;
    let end = byte + q_BYTES;
    var below = 0u;
    for (var k = 0u; (first + k) * 4u < end; k++) {
        var word = 0u;
        if (k < q_WORDS) {
            word = (*words)[k];
        }
        let bits = (word << shift) | below;
        below = (word >> 1u) >> (31u - shift);
        var mask = 0xffffffffu;
        if (k == 0u) {
            mask <<= shift;
        }
        if ((first + k) * 4u + 4u > end) {
            mask &= 0xffffffffu >> ((4u - (end & 3u)) * 8u);
        }
        if (mask == 0xffffffffu) {
            atomicStore(&Q[first + k], bits);
        } else {
            atomicAnd(&Q[first + k], ~mask);
            atomicOr(&Q[first + k], bits & mask);
        }
    }
}
fn q_half_bits(v: f32) -> u32 {
    return pack2x16float(vec2<f32>(v, 0.0)) & 0xffffu;
}
// The first of the elements that are farthest from 0.
fn q_largest(x: ptr<function, array<vec4<f32>, q_VECTORS>>) -> f32 {
    var most = 0.0;
    for (var k = 0u; k < q_VECTORS; k++) {
        let v = (*x)[k];
        for (var c = 0u; c < 4u; c++) {
            most = select(most, v[c], abs(v[c]) > abs(most));
        }
    }
    return most;
}
// The least and the greatest element.
fn q_bounds(x: ptr<function, array<vec4<f32>, q_VECTORS>>) -> vec2<f32> {
    var low = (*x)[0];
    var high = low;
    for (var k = 1u; k < q_VECTORS; k++) {
        low = min(low, (*x)[k]);
        high = max(high, (*x)[k]);
    }
    return vec2<f32>(min(min(low.x, low.y), min(low.z, low.w)), max(max(high.x, high.y), max(high.z, high.w)));
}
fn q_inverse(d: f32) -> f32 {
    return select(quotient(1.0, d), 0.0, d == 0.0);
}
// To the nearest integer, away from 0 at half.
fn q_rounded(v: vec4<f32>) -> vec4<i32> {
    let whole = trunc(v);
    return vec4<i32>(whole + select(vec4<f32>(0.0), sign(v), abs(v - whole) >= vec4<f32>(0.5)));
}
#endif
