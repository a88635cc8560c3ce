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
