// i32 in the binding `Q`.
fn q_get(byte: u32) -> i32 {
    return Q[byte >> 2u];
}
#if q_WRITE
fn q_put(byte: u32, v: i32) {
    Q[byte >> 2u] = v;
}
#endif
