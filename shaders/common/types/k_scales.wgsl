// The head of a q4_K or q5_K block in a binding of words `Q`: f16 d, f16 dmin, then 12 bytes with the 6-bit scales and minima of
// eight groups of 32 elements. Factor and subtrahend of group j.
#import common/types/words q_ Q
fn q_scale(block: u32, j: u32) -> vec2<f32> {
    let at = block >> 2u;
    let shift = (j & 3u) * 8u;
    // Byte j % 4 of each word: two bits of a later group above six of an earlier one, then the low nibbles of a later group.
    let scales = q_word(at + 1u) >> shift;
    let minima = q_word(at + 2u) >> shift;
    let later = q_word(at + 3u) >> shift;
    let early = vec2<u32>(scales, minima) & vec2<u32>(63u);
    let late = (vec2<u32>(later, later >> 4u) & vec2<u32>(15u)) | ((vec2<u32>(scales, minima) & vec2<u32>(0xc0u)) >> vec2<u32>(2u));
    return unpack2x16float(q_word(at)) * vec2<f32>(select(late, early, j < 4u));
}
