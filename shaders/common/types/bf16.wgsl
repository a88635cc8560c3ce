// bf16 in a binding of words `Q`: the upper half of an f32.
// q_WIDE: an array of vec4<u32>, read only. q_VEC: an array of vec2<u32>.
fn q_pair(w: vec2<u32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(vec4<u32>(w.x << 16u, w.x & 0xffff0000u, w.y << 16u, w.y & 0xffff0000u));
}
// Rounds to nearest even; a NaN stays one.
fn q_bits(v: f32) -> u32 {
    let bits = bitcast<u32>(v);
    let nan = (bits & 0x7fffffffu) > 0x7f800000u;
    let rounded = (bits + 0x7fffu + ((bits >> 16u) & 1u)) >> 16u;
    return select(rounded, (bits >> 16u) | 64u, nan);
}
#if q_WIDE
fn q_get(byte: u32) -> f32 {
    let w = Q[byte >> 4u][(byte >> 2u) & 3u];
    return bitcast<f32>(select(w << 16u, w & 0xffff0000u, (byte & 2u) != 0u));
}
// Eight-byte aligned.
fn q_get4(byte: u32) -> vec4<f32> {
    let w = Q[byte >> 4u];
    return q_pair(select(w.xy, w.zw, (byte & 8u) != 0u));
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let at = (row + i * 2u) >> 4u;
    let a = Q[at];
    let b = Q[at + 1u];
    return array<vec4<f32>, 4>(q_pair(a.xy), q_pair(a.zw), q_pair(b.xy), q_pair(b.zw));
}
#elif q_VEC
#import common/types/half_vec q_ Q
#else
#import common/types/half_words q_ Q
fn q_get(byte: u32) -> f32 {
    return bitcast<f32>(q_half(byte) << 16u);
}
fn q_get4(byte: u32) -> vec4<f32> {
    return vec4<f32>(q_get(byte), q_get(byte + 2u), q_get(byte + 4u), q_get(byte + 6u));
}
#if q_WRITE
fn q_put(byte: u32, v: f32) {
    q_put_half(byte, q_bits(v));
}
fn q_put4(byte: u32, v: vec4<f32>) {
    q_put_halves(byte, vec4<u32>(q_bits(v.x), q_bits(v.y), q_bits(v.z), q_bits(v.w)));
}
#endif
#endif
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    return q_get4(row + i * 2u);
}
#if !q_WIDE
// Elements i to i + 15.
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    return array<vec4<f32>, 4>(q_row4(row, i), q_row4(row, i + 4u), q_row4(row, i + 8u), q_row4(row, i + 12u));
}
#endif
