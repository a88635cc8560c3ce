// iq4_nl in a binding of words `Q`. 18 bytes for 32 elements: f16 scale d, 16 bytes of nibbles (element j low, j + 16 high);
// an element is d * the level of its nibble.
#import common/types/words q_ Q
#import common/types/levels
fn q_scaled(w: u32, d: f32) -> vec4<f32> {
    return (q_bytes(iq4_levels(w)) - 128.0) * d;
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
    let w = q_u32x4(block + 2u) >> vec4<u32>((i & 16u) >> 2u);
    return q_biased16(vec4<u32>(iq4_levels(w.x), iq4_levels(w.y), iq4_levels(w.z), iq4_levels(w.w)), d, -128.0 * d);
}
#if q_WRITE
const q_BLOCK: u32 = 32u;
const q_VECTORS: u32 = 8u;
const q_BYTES: u32 = 18u;
const q_WORDS: u32 = 5u;
#import common/types/iq4_fit q_
fn q_put_block(byte: u32, x: ptr<function, array<vec4<f32>, q_VECTORS>>) {
    exact_begin(byte);
    var words: array<u32, q_WORDS>;
    let most = q_extreme(x, 0u);
    if (abs(most) >= 1e-15) {
        let id = quotient(1.0, quotient(most, -127.0));
        let sums = q_sums(x, 0u, id);
        q_place(&words, 0u, q_half_bits(select(quotient(sums.x, sums.y), 0.0, sums.y <= 0.0)));
        for (var k = 0u; k < 4u; k++) {
            q_place(&words, 2u + k * 4u, pack4xU8(q_nearest((*x)[k] * id) | (q_nearest((*x)[k + 4u] * id) << vec4<u32>(4u))));
        }
    }
    q_store(byte, &words);
}
#endif
