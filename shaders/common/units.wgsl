// Units of UNIT bytes (16, 4, 2 or 1) in the binding `Q`, moved as they are. The binding is an array of vec4<u32> for 16 and of
// words for the others; of atomic words where q_WRITE is defined and a unit is smaller than a word.
#if UNIT == 16
fn q_unit(byte: u32) -> vec4<u32> {
    return Q[byte >> 4u];
}
#elif UNIT == 4
fn q_unit(byte: u32) -> u32 {
    return Q[byte >> 2u];
}
#elif !q_WRITE
fn q_unit(byte: u32) -> u32 {
    return extractBits(Q[byte >> 2u], (byte & 3u) * 8u, UNIT * 8u);
}
#endif
#if q_WRITE
#if UNIT == 16
fn q_put_unit(byte: u32, v: vec4<u32>) {
    Q[byte >> 4u] = v;
}
#elif UNIT == 4
fn q_put_unit(byte: u32, v: u32) {
    Q[byte >> 2u] = v;
}
#else
// Neighbours in the word may be stored at the same time: the two steps touch only this unit's bits.
fn q_put_unit(byte: u32, v: u32) {
    let shift = (byte & 3u) * 8u;
    atomicAnd(&Q[byte >> 2u], ~(((1u << (UNIT * 8u)) - 1u) << shift));
    atomicOr(&Q[byte >> 2u], v << shift);
}
#endif
#endif
