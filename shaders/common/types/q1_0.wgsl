// q1_0 in a binding of words `Q`. 18 bytes for 128 elements: f16 d, 16 bytes of bits; an element is d or, where its bit is 0, -d.
#import common/types/words q_ Q
fn q_scaled(bits: u32, d: f32) -> vec4<f32> {
    return (q_bytes(q_spread(bits)) * 2.0 - 1.0) * d;
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let block = row + (i >> 7u) * 18u;
    return q_scaled(q_u8(block + 2u + ((i & 127u) >> 3u)) >> (i & 7u), q_f16(block));
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 7u) * 18u;
    let d = q_f16(block);
    let bits = q_u16(block + 2u + ((i & 127u) >> 3u));
    return array<vec4<f32>, 4>(q_scaled(bits, d), q_scaled(bits >> 4u, d), q_scaled(bits >> 8u, d), q_scaled(bits >> 12u, d));
}
#if q_WRITE
const q_BLOCK: u32 = 128u;
const q_VECTORS: u32 = 32u;
const q_BYTES: u32 = 18u;
const q_WORDS: u32 = 5u;
fn q_put_block(byte: u32, x: ptr<function, array<vec4<f32>, q_VECTORS>>) {
    var words: array<u32, q_WORDS>;
    var sum = 0.0;
    for (var k = 0u; k < 32u; k++) {
        let v = (*x)[k];
        let size = abs(v);
        sum += size.x;
        sum += size.y;
        sum += size.z;
        sum += size.w;
        let bits = dot(select(vec4<u32>(0u), vec4<u32>(1u, 2u, 4u, 8u), v >= vec4<f32>(0.0)), vec4<u32>(1u));
        words[(16u + k * 4u) >> 5u] |= bits << ((16u + k * 4u) & 31u);
    }
    q_place(&words, 0u, q_half_bits(sum / 128.0));
    q_store(byte, &words);
}
#endif
