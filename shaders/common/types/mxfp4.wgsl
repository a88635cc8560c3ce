// mxfp4 in a binding of words `Q`. 17 bytes for 32 elements: an exponent e, 16 bytes of nibbles (element j low, j + 16 high);
// an element is 2^(e - 128) * the level of its nibble.
#import common/types/words q_ Q
#import common/types/levels
fn q_decode(e: u32) -> f32 {
    // The two smallest are no normal numbers.
    return bitcast<f32>(select((e - 1u) << 23u, 0x00200000u << e, e < 2u));
}
fn q_scale(block: u32) -> f32 {
    return q_decode(q_u8(block));
}
fn q_scaled(w: u32, d: f32) -> vec4<f32> {
    return (q_bytes(fp4_levels(w)) - 16.0) * d;
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let block = row + (i >> 5u) * 17u;
    return q_scaled(q_u32(block + 1u + (i & 15u)) >> ((i & 16u) >> 2u), q_scale(block));
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 5u) * 17u;
    let d = q_scale(block);
    let w = q_u32x4(block + 1u) >> vec4<u32>((i & 16u) >> 2u);
    return array<vec4<f32>, 4>(q_scaled(w.x, d), q_scaled(w.y, d), q_scaled(w.z, d), q_scaled(w.w, d));
}
#define q_HAS_RAW 1
fn q_raw16(row: u32, i: u32) -> q_Raw {
    let block = row + (i >> 5u) * 17u;
    let d = q_scale(block);
    let w = q_u32x4(block + 1u) >> vec4<u32>((i & 16u) >> 2u);
    return q_biased16(vec4<u32>(fp4_levels(w.x), fp4_levels(w.y), fp4_levels(w.z), fp4_levels(w.w)), d, -16.0 * d);
}
#if q_WRITE
const q_BLOCK: u32 = 32u;
const q_VECTORS: u32 = 8u;
const q_BYTES: u32 = 17u;
const q_WORDS: u32 = 5u;
fn q_put_block(byte: u32, x: ptr<function, array<vec4<f32>, q_VECTORS>>) {
    var words: array<u32, q_WORDS>;
    // The largest element gets the largest exponent.
    let most = i32(bitcast<u32>(q_largest(x)) >> 23u) & 255;
    q_place(&words, 0u, u32(max(most - 2, 0)));
    let d = q_decode(u32(max(most - 2, 0)));
    for (var k = 0u; k < 4u; k++) {
        q_place(&words, 1u + k * 4u, pack4xU8(fp4_nearest((*x)[k], d) | (fp4_nearest((*x)[k + 4u], d) << vec4<u32>(4u))));
    }
    q_store(byte, &words);
}
#endif
