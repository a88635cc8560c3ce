// q6_K in a binding of words `Q`. 210 bytes for 256 elements: 128 bytes of nibbles, 64 bytes of 2-bit tops, 16 signed scales for 16
// elements each, f16 d; an element is d * scale * (value - 32). Each half of 128 elements has 64 bytes of nibbles (byte l: elements
// l low, l + 64 high) and 32 bytes of tops (byte l: elements l, l + 32, l + 64, l + 96).
#import common/types/words q_ Q
fn q_scale(block: u32, e: u32) -> f32 {
    return q_f16(block + 208u) * f32(extractBits(i32(q_u8(block + 192u + (e >> 4u))), 0u, 8u));
}
fn q_scaled(low: u32, high: u32, s: f32) -> vec4<f32> {
    return (q_bytes((low & 0x0f0f0f0fu) | ((high & 0x03030303u) << 4u)) - 32.0) * s;
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let block = row + (i >> 8u) * 210u;
    let e = i & 255u;
    let low = q_u32(block + ((e & 128u) >> 1u) + (e & 63u)) >> ((e & 64u) >> 4u);
    let high = q_u32(block + 128u + ((e & 128u) >> 2u) + (e & 31u)) >> ((e & 96u) >> 4u);
    return q_scaled(low, high, q_scale(block, e));
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 8u) * 210u;
    let e = i & 255u;
    let s = q_scale(block, e);
    let low = q_u32x4(block + ((e & 128u) >> 1u) + (e & 63u)) >> vec4<u32>((e & 64u) >> 4u);
    let high = q_u32x4(block + 128u + ((e & 128u) >> 2u) + (e & 31u)) >> vec4<u32>((e & 96u) >> 4u);
    return array<vec4<f32>, 4>(
        q_scaled(low.x, high.x, s),
        q_scaled(low.y, high.y, s),
        q_scaled(low.z, high.z, s),
        q_scaled(low.w, high.w, s)
    );
}
#define q_HAS_RAW 1
fn q_raw16(row: u32, i: u32) -> q_Raw {
    let block = row + (i >> 8u) * 210u;
    let e = i & 255u;
    let s = q_scale(block, e);
    let low = q_u32x4(block + ((e & 128u) >> 1u) + (e & 63u)) >> vec4<u32>((e & 64u) >> 4u);
    let high = q_u32x4(block + 128u + ((e & 128u) >> 2u) + (e & 31u)) >> vec4<u32>((e & 96u) >> 4u);
    return q_biased16((low & vec4<u32>(0x0f0f0f0fu)) | ((high & vec4<u32>(0x03030303u)) << vec4<u32>(4u)), s, -32.0 * s);
}
#if q_WRITE
const q_BLOCK: u32 = 256u;
const q_VECTORS: u32 = 64u;
const q_BYTES: u32 = 210u;
const q_WORDS: u32 = 53u;
#import common/types/k_fit
fn q_put_block(byte: u32, x: ptr<function, array<vec4<f32>, q_VECTORS>>) {
    exact_begin(byte);
    var words: array<u32, q_WORDS>;
    var fits: array<f32, 16>;
    var most = 0.0;
    for (var s = 0u; s < 16u; s++) {
        fits[s] = k_fit_signed(x, s * 4u, 32.0);
        most = select(most, fits[s], abs(fits[s]) > abs(most));
    }
    if (abs(most) >= 1e-15) {
        let inverse = quotient(-128.0, most);
        words[52] = q_half_bits(quotient(1.0, inverse));
        let d = unpack_exact(words[52]).x;
        for (var s = 0u; s < 16u; s++) {
            let scale = min(round(inverse * fits[s]), 127.0);
            words[48u + (s >> 2u)] |= (u32(i32(scale)) & 255u) << ((s & 3u) * 8u);
            let step = d * scale;
            for (var k = s * 4u; k < s * 4u + 4u; k++) {
                var quants = vec4<u32>(32u);
                if (step != 0.0) {
                    quants = vec4<u32>(clamp(round(quotient4((*x)[k], step)), vec4<f32>(-32.0), vec4<f32>(31.0)) + 32.0);
                }
                words[((k >> 5u) << 4u) + (k & 15u)] |= pack4xU8(quants & vec4<u32>(15u)) << ((k & 16u) >> 2u);
                words[32u + ((k >> 5u) << 3u) + (k & 7u)] |= pack4xU8(quants >> vec4<u32>(4u)) << (((k >> 3u) & 3u) * 2u);
            }
        }
    }
    q_store(byte, &words);
}
#endif
