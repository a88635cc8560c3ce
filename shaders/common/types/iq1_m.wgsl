// iq1_m in a binding of words `Q`. 56 bytes for 256 elements: a byte of the number of a grid point for each 8 elements, a nibble with
// its upper three bits and a sign for each, four times 16 bits with four scales of three bits for 16 elements each and, on top, a
// nibble of the f16 d; an element is d * (2 scale + 1) * (its level + or - 1/8).
#import common/types/words q_ Q
#import common/types/grids
fn q_scale(block: u32, e: u32) -> f32 {
    let a = q_word((block >> 2u) + 12u);
    let b = q_word((block >> 2u) + 13u);
    let d = ((a >> 12u) & 15u) | ((a >> 24u) & 0xf0u) | ((b >> 4u) & 0xf00u) | ((b >> 16u) & 0xf000u);
    let s = e >> 4u;
    let scale = (select(a, b, s >= 8u) >> (((s >> 2u) & 1u) * 16u + (s & 3u) * 3u)) & 7u;
    return unpack2x16float(d).x * f32(scale * 2u + 1u);
}
fn q_shift(nibble: u32) -> f32 {
    return select(0.125, -0.125, (nibble & 8u) != 0u);
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let block = row + (i >> 8u) * 56u;
    let e = i & 255u;
    let nibble = q_u8(block + 32u + (e >> 4u)) >> ((e & 8u) >> 1u);
    let point = grid_point(GRID_IQ1, q_u8(block + (e >> 3u)) | ((nibble & 7u) << 8u));
    return (grid_of_trits(point >> ((i & 4u) * 2u)) + q_shift(nibble)) * q_scale(block, e);
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 8u) * 56u;
    let e = i & 255u;
    let d = q_scale(block, e);
    let low = q_u16(block + (e >> 3u));
    let nibbles = q_u8(block + 32u + (e >> 4u));
    let p = grid_point(GRID_IQ1, (low & 255u) | ((nibbles & 7u) << 8u));
    let q = grid_point(GRID_IQ1, (low >> 8u) | ((nibbles & 0x70u) << 4u));
    let s = q_shift(nibbles);
    let t = q_shift(nibbles >> 4u);
    return array<vec4<f32>, 4>(
        (grid_of_trits(p) + s) * d,
        (grid_of_trits(p >> 8u) + s) * d,
        (grid_of_trits(q) + t) * d,
        (grid_of_trits(q >> 8u) + t) * d
    );
}
