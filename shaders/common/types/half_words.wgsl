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
// Four neighbours; whole words in one step each.
fn q_put_halves(byte: u32, bits: vec4<u32>) {
    if ((byte & 2u) == 0u) {
        atomicStore(&Q[byte >> 2u], bits.x | (bits.y << 16u));
        atomicStore(&Q[(byte >> 2u) + 1u], bits.z | (bits.w << 16u));
    } else {
        q_put_half(byte, bits.x);
        atomicStore(&Q[(byte >> 2u) + 1u], bits.y | (bits.z << 16u));
        q_put_half(byte + 6u, bits.w);
    }
}
#endif
