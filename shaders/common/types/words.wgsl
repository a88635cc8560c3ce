// Loads at any byte address from a binding of words `Q` (atomic words where q_WRITE is defined), and bytes as vectors.
// Reads only words that hold a byte asked for.
fn q_word(i: u32) -> u32 {
#if q_WRITE
    return atomicLoad(&Q[i]);
#else
    return Q[i];
#endif
}
fn q_u8(byte: u32) -> u32 {
    return (q_word(byte >> 2u) >> ((byte & 3u) * 8u)) & 0xffu;
}
// At an even address.
fn q_u16(byte: u32) -> u32 {
    return (q_word(byte >> 2u) >> ((byte & 2u) * 8u)) & 0xffffu;
}
fn q_f16(byte: u32) -> f32 {
    return unpack2x16float(q_u16(byte)).x;
}
// The upper word is shifted in two steps, since a shift by 32 is none.
fn q_u32(byte: u32) -> u32 {
    let shift = (byte & 3u) * 8u;
    return (q_word(byte >> 2u) >> shift) | ((q_word((byte + 3u) >> 2u) << 1u) << (31u - shift));
}
fn q_u32x4(byte: u32) -> vec4<u32> {
    let i = byte >> 2u;
    let shift = vec4<u32>((byte & 3u) * 8u);
    let w = vec4<u32>(q_word(i), q_word(i + 1u), q_word(i + 2u), q_word(i + 3u));
    return (w >> shift) | ((vec4<u32>(w.yzw, q_word((byte + 15u) >> 2u)) << vec4<u32>(1u)) << (vec4<u32>(31u) - shift));
}
// At a multiple of four.
fn q_words4(byte: u32) -> vec4<u32> {
    let i = byte >> 2u;
    return vec4<u32>(q_word(i), q_word(i + 1u), q_word(i + 2u), q_word(i + 3u));
}
fn q_bytes(w: u32) -> vec4<f32> {
    return vec4<f32>(unpack4xU8(w));
}
// Four bits, one in each byte at bit 0.
fn q_spread(bits: u32) -> u32 {
    return ((bits & 15u) * 0x00204081u) & 0x01010101u;
}
// 16 elements for dot products: element = scale * v + shift. `v` is the stored number plus 1024, which costs less than a conversion:
// bits below the implicit one of an f16 between 1024 and 2048.
struct q_Raw {
    v: array<vec4<f32>, 4>,
    scale: f32,
    shift: f32,
}
// Four bytes below 256, plus 1024.
fn q_biased(w: u32) -> vec4<f32> {
    let even = unpack2x16float((w & 0x00ff00ffu) | 0x64006400u);
    let odd = unpack2x16float(((w >> 8u) & 0x00ff00ffu) | 0x64006400u);
    return vec4<f32>(even.x, odd.x, even.y, odd.y);
}
fn q_biased16(w: vec4<u32>, scale: f32, shift: f32) -> q_Raw {
    return q_Raw(array<vec4<f32>, 4>(q_biased(w.x), q_biased(w.y), q_biased(w.z), q_biased(w.w)), scale, shift - 1024.0 * scale);
}
