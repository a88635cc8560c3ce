// 16-bit values in a binding of words `Q` (atomic words where q_WRITE is defined).
fn q_half(byte: u32) -> u32 {
#if q_WRITE
    let word = atomicLoad(&Q[byte >> 2u]);
#else
    let word = Q[byte >> 2u];
#endif
    return (word >> ((byte & 2u) * 8u)) & 0xffffu;
}
#if q_WRITE
// Neighbours in the word may be stored at the same time: the two steps touch only this value's bits.
fn q_put_half(byte: u32, bits: u32) {
    let shift = (byte & 2u) * 8u;
    atomicAnd(&Q[byte >> 2u], ~(0xffffu << shift));
    atomicOr(&Q[byte >> 2u], bits << shift);
}
#endif
