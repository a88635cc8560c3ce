// bf16 in a binding of words `Q`: the upper half of an f32.
#import common/types/half_words q_ Q
fn q_get(byte: u32) -> f32 {
    return bitcast<f32>(q_half(byte) << 16u);
}
fn q_get4(byte: u32) -> vec4<f32> {
    return vec4<f32>(q_get(byte), q_get(byte + 2u), q_get(byte + 4u), q_get(byte + 6u));
}
#if q_WRITE
// Rounds to nearest even; a NaN stays one.
fn q_put(byte: u32, v: f32) {
    let bits = bitcast<u32>(v);
    let nan = (bits & 0x7fffffffu) > 0x7f800000u;
    let rounded = (bits + 0x7fffu + ((bits >> 16u) & 1u)) >> 16u;
    q_put_half(byte, select(rounded, (bits >> 16u) | 64u, nan));
}
fn q_put4(byte: u32, v: vec4<f32>) {
    q_put(byte, v.x);
    q_put(byte + 2u, v.y);
    q_put(byte + 4u, v.z);
    q_put(byte + 6u, v.w);
}
#endif
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    return q_get4(row + i * 2u);
}
