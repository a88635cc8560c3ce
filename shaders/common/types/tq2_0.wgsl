// tq2_0 in a binding of words `Q`. 66 bytes for 256 elements: 64 bytes of 2-bit values, f16 d; an element is d * (value - 1). Each half
// of 128 elements has 32 bytes, of which byte l holds the elements l, l + 32, l + 64, l + 96.
#import common/types/words q_ Q
fn q_scaled(w: u32, d: f32) -> vec4<f32> {
    return (q_bytes(w & 0x03030303u) - 1.0) * d;
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let block = row + (i >> 8u) * 66u;
    let e = i & 255u;
    return q_scaled(q_u32(block + ((e & 128u) >> 2u) + (e & 31u)) >> ((e & 96u) >> 4u), q_f16(block + 64u));
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 8u) * 66u;
    let e = i & 255u;
    let d = q_f16(block + 64u);
    let w = q_u32x4(block + ((e & 128u) >> 2u) + (e & 31u)) >> vec4<u32>((e & 96u) >> 4u);
    return array<vec4<f32>, 4>(q_scaled(w.x, d), q_scaled(w.y, d), q_scaled(w.z, d), q_scaled(w.w, d));
}
#if q_WRITE
const q_BLOCK: u32 = 256u;
const q_VECTORS: u32 = 64u;
const q_BYTES: u32 = 66u;
const q_WORDS: u32 = 17u;
fn q_put_block(byte: u32, x: ptr<function, array<vec4<f32>, q_VECTORS>>) {
    exact_begin(byte);
    var words: array<u32, q_WORDS>;
    let d = abs(q_largest(x));
    let id = q_inverse(d);
    for (var k = 0u; k < 64u; k++) {
        let v = exact4((*x)[k] * id);
        let quants = vec4<u32>(q_rounded(v) + 1);
        words[((k >> 5u) << 3u) + (k & 7u)] |= pack4xU8(quants) << (((k >> 3u) & 3u) * 2u);
    }
    words[16] = q_half_bits(d);
    q_store(byte, &words);
}
#endif
