// Four 16-bit values at once in a binding `Q` of vec2<u32>; q_pair decodes them, q_bits encodes one.
fn q_get4(byte: u32) -> vec4<f32> {
    return q_pair(Q[byte >> 3u]);
}
#if q_WRITE
fn q_put4(byte: u32, v: vec4<f32>) {
    Q[byte >> 3u] = vec2<u32>(q_bits(v.x) | (q_bits(v.y) << 16u), q_bits(v.z) | (q_bits(v.w) << 16u));
}
#endif
