// iq4_xs in a binding of words `Q`. 136 bytes for 256 elements: f16 d, 16 bits with the upper two bits and 4 bytes with the lower
// four of the scales of 32 elements each, 16 bytes of nibbles for each 32 elements (element j low, j + 16 high); an element is
// d * (scale - 32) * the level of its nibble.
#import common/types/words q_ Q
#import common/types/levels
fn q_scale(block: u32, s: u32) -> f32 {
    let head = q_word(block >> 2u);
    let low = q_word((block >> 2u) + 1u) >> (s * 4u);
    let high = head >> (16u + s * 2u);
    return unpack2x16float(head).x * (f32((low & 15u) | ((high & 3u) << 4u)) - 32.0);
}
fn q_scaled(w: u32, d: f32) -> vec4<f32> {
    return iq4_levels(w & 0x0f0f0f0fu) * d;
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let block = row + (i >> 8u) * 136u;
    let s = (i & 255u) >> 5u;
    let w = q_word((block + 8u + s * 16u + (i & 15u)) >> 2u) >> ((i & 16u) >> 2u);
    return q_scaled(w, q_scale(block, s));
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 8u) * 136u;
    let s = (i & 255u) >> 5u;
    let d = q_scale(block, s);
    let w = q_words4(block + 8u + s * 16u) >> vec4<u32>((i & 16u) >> 2u);
    return array<vec4<f32>, 4>(q_scaled(w.x, d), q_scaled(w.y, d), q_scaled(w.z, d), q_scaled(w.w, d));
}
