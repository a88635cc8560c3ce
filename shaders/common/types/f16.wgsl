// f16 in the binding `Q`: as f16 (vec4 of them where q_VEC is defined), or in words on devices without f16 (vec2<u32> where q_VEC is
// defined). Two values share a word there, so a store of one is two atomic steps on disjoint bits.
// q_WIDE: an array of vec4<u32>, read only, on any device.
fn q_pair(w: vec2<u32>) -> vec4<f32> {
    return vec4<f32>(unpack2x16float(w.x), unpack2x16float(w.y));
}
fn q_bits(v: f32) -> u32 {
    return pack2x16float(vec2<f32>(v, 0.0)) & 0xffffu;
}
#if q_WIDE
fn q_get(byte: u32) -> f32 {
    return unpack2x16float(Q[byte >> 4u][(byte >> 2u) & 3u])[(byte >> 1u) & 1u];
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
#elif F16
#if q_VEC
fn q_get4(byte: u32) -> vec4<f32> {
    return vec4<f32>(Q[byte >> 3u]);
}
#if q_WRITE
fn q_put4(byte: u32, v: vec4<f32>) {
    Q[byte >> 3u] = vec4<f16>(v);
}
#endif
#else
fn q_get(byte: u32) -> f32 {
    return f32(Q[byte >> 1u]);
}
fn q_get4(byte: u32) -> vec4<f32> {
    let i = byte >> 1u;
    return vec4<f32>(f32(Q[i]), f32(Q[i + 1u]), f32(Q[i + 2u]), f32(Q[i + 3u]));
}
#if q_WRITE
fn q_put(byte: u32, v: f32) {
    Q[byte >> 1u] = f16(v);
}
fn q_put4(byte: u32, v: vec4<f32>) {
    let i = byte >> 1u;
    Q[i] = f16(v.x);
    Q[i + 1u] = f16(v.y);
    Q[i + 2u] = f16(v.z);
    Q[i + 3u] = f16(v.w);
}
#endif
#endif
#elif q_VEC
#import common/types/half_vec q_ Q
#else
#import common/types/half_words q_ Q
fn q_get(byte: u32) -> f32 {
    return unpack2x16float(q_half(byte)).x;
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
