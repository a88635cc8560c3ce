// f32 in the binding `Q`: as scalars, or as vec4 where q_VEC is defined.
#if q_VEC
fn q_get4(byte: u32) -> vec4<f32> {
    return Q[byte >> 4u];
}
#if q_WRITE
fn q_put4(byte: u32, v: vec4<f32>) {
    Q[byte >> 4u] = v;
}
#endif
#else
fn q_get(byte: u32) -> f32 {
    return Q[byte >> 2u];
}
fn q_get4(byte: u32) -> vec4<f32> {
    let i = byte >> 2u;
    return vec4<f32>(Q[i], Q[i + 1u], Q[i + 2u], Q[i + 3u]);
}
#if q_WRITE
fn q_put(byte: u32, v: f32) {
    Q[byte >> 2u] = v;
}
fn q_put4(byte: u32, v: vec4<f32>) {
    let i = byte >> 2u;
    Q[i] = v.x;
    Q[i + 1u] = v.y;
    Q[i + 2u] = v.z;
    Q[i + 3u] = v.w;
}
#endif
#endif
// Elements i to i + 3 of the row that begins at a byte.
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    return q_get4(row + i * 4u);
}
// Elements i to i + 15.
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    return array<vec4<f32>, 4>(q_row4(row, i), q_row4(row, i + 4u), q_row4(row, i + 8u), q_row4(row, i + 12u));
}
