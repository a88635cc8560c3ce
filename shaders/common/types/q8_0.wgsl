// q8_0 in a binding of words `Q`. 34 bytes for 32 elements: f16 scale d, 32 signed bytes; an element is d * byte.
#import common/types/words q_ Q
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let block = row + (i >> 5u) * 34u;
    return vec4<f32>(unpack4xI8(q_u32(block + 2u + (i & 31u)))) * q_f16(block);
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 5u) * 34u;
    let d = q_f16(block);
    let w = q_u32x4(block + 2u + (i & 16u));
    return array<vec4<f32>, 4>(
        vec4<f32>(unpack4xI8(w.x)) * d,
        vec4<f32>(unpack4xI8(w.y)) * d,
        vec4<f32>(unpack4xI8(w.z)) * d,
        vec4<f32>(unpack4xI8(w.w)) * d
    );
}
#define q_HAS_RAW 1
fn q_raw16(row: u32, i: u32) -> q_Raw {
    let block = row + (i >> 5u) * 34u;
    let d = q_f16(block);
    // Signed bytes plus 128 are unsigned ones.
    return q_biased16(q_u32x4(block + 2u + (i & 16u)) ^ vec4<u32>(0x80808080u), d, -128.0 * d);
}
#if q_WRITE
const q_BLOCK: u32 = 32u;
const q_VECTORS: u32 = 8u;
const q_BYTES: u32 = 34u;
const q_WORDS: u32 = 9u;
fn q_put_block(byte: u32, x: ptr<function, array<vec4<f32>, q_VECTORS>>) {
    exact_begin(byte);
    var words: array<u32, q_WORDS>;
    let most = abs(q_largest(x));
    let id = select(quotient(127.0, most), 0.0, most == 0.0);
    q_place(&words, 0u, q_half_bits(quotient(most, 127.0)));
    for (var k = 0u; k < 8u; k++) {
        q_place(&words, 2u + k * 4u, pack4xI8(vec4<i32>(round((*x)[k] * id))));
    }
    q_store(byte, &words);
}
#endif
