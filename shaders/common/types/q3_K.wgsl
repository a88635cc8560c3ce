// q3_K in a binding of words `Q`. 110 bytes for 256 elements: 32 bytes of third bits, 64 bytes of 2-bit values, 12 bytes of 6-bit
// scales for 16 elements each, f16 d; an element is d * (scale - 32) * (value - 4). Byte l of the third bits holds those of the
// elements l, l + 32, ..., l + 224; each half of 128 elements has 32 bytes of values, of which byte l holds the elements
// l, l + 32, l + 64, l + 96.
#import common/types/words q_ Q
// Scale s: four bits in byte s % 8, two in byte 8 + s % 4.
fn q_scale(block: u32, e: u32) -> f32 {
    let s = e >> 4u;
    let low = q_u8(block + 96u + (s & 7u)) >> ((s & 8u) >> 1u);
    let high = q_u8(block + 104u + (s & 3u)) >> ((s >> 2u) * 2u);
    return q_f16(block + 108u) * (f32((low & 15u) | ((high & 3u) << 4u)) - 32.0);
}
fn q_scaled(low: u32, high: u32, s: f32) -> vec4<f32> {
    return (q_bytes((low & 0x03030303u) | ((high & 0x01010101u) << 2u)) - 4.0) * s;
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let block = row + (i >> 8u) * 110u;
    let e = i & 255u;
    let low = q_u32(block + 32u + ((e & 128u) >> 2u) + (e & 31u)) >> ((e & 96u) >> 4u);
    return q_scaled(low, q_u32(block + (e & 31u)) >> (e >> 5u), q_scale(block, e));
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 8u) * 110u;
    let e = i & 255u;
    let s = q_scale(block, e);
    let low = q_u32x4(block + 32u + ((e & 128u) >> 2u) + (e & 31u)) >> vec4<u32>((e & 96u) >> 4u);
    let high = q_u32x4(block + (e & 31u)) >> vec4<u32>(e >> 5u);
    return array<vec4<f32>, 4>(
        q_scaled(low.x, high.x, s),
        q_scaled(low.y, high.y, s),
        q_scaled(low.z, high.z, s),
        q_scaled(low.w, high.w, s)
    );
}
#define q_HAS_RAW 1
fn q_raw16(row: u32, i: u32) -> q_Raw {
    let block = row + (i >> 8u) * 110u;
    let e = i & 255u;
    let s = q_scale(block, e);
    let low = q_u32x4(block + 32u + ((e & 128u) >> 2u) + (e & 31u)) >> vec4<u32>((e & 96u) >> 4u);
    let high = q_u32x4(block + (e & 31u)) >> vec4<u32>(e >> 5u);
    return q_biased16((low & vec4<u32>(0x03030303u)) | ((high & vec4<u32>(0x01010101u)) << vec4<u32>(2u)), s, -4.0 * s);
}
#if q_WRITE
const q_BLOCK: u32 = 256u;
const q_VECTORS: u32 = 64u;
const q_BYTES: u32 = 110u;
const q_WORDS: u32 = 28u;
#import common/types/k_fit
fn q_put_block(byte: u32, x: ptr<function, array<vec4<f32>, q_VECTORS>>) {
    exact_begin(byte);
    var words: array<u32, q_WORDS>;
    var fits: array<f32, 16>;
    var most = 0.0;
    for (var s = 0u; s < 16u; s++) {
        fits[s] = k_fit_by_turns(x, s * 4u, 4.0);
        most = select(most, fits[s], abs(fits[s]) > abs(most));
    }
    let inverse = select(quotient(-32.0, most), 0.0, most == 0.0);
    words[27] = q_half_bits(q_inverse(inverse));
    let d = unpack_exact(words[27]).x;
    for (var s = 0u; s < 16u; s++) {
        let scale = clamp(round(inverse * fits[s]), -32.0, 31.0);
        if (most != 0.0) {
            let bits = u32(scale + 32.0);
            words[24u + ((s >> 2u) & 1u)] |= (bits & 15u) << ((s & 3u) * 8u + ((s & 8u) >> 1u));
            words[26] |= (bits >> 4u) << ((s & 3u) * 8u + (s >> 2u) * 2u);
        }
        let step = d * scale;
        for (var k = s * 4u; k < s * 4u + 4u; k++) {
            var quants = vec4<u32>(4u);
            if (step != 0.0) {
                quants = vec4<u32>(clamp(round(quotient4((*x)[k], step)), vec4<f32>(-4.0), vec4<f32>(3.0)) + 4.0);
            }
            words[8u + ((k >> 5u) << 3u) + (k & 7u)] |= pack4xU8(quants & vec4<u32>(3u)) << (((k >> 3u) & 3u) * 2u);
            words[k & 7u] |= pack4xU8(quants >> vec4<u32>(2u)) << (k >> 3u);
        }
    }
    q_store(byte, &words);
}
#endif
