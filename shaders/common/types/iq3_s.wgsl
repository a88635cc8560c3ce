// iq3_s in a binding of words `Q`. 110 bytes for 256 elements: f16 d, for each 4 elements a byte of the number of a grid point, for each
// 32 elements a byte with the ninth bits of those, a byte of signs for each 8 elements, 4-bit scales for each 32 elements; an element is
// d * (2 scale + 1) * its signed level.
#import common/types/words q_ Q
#import common/types/grids
// Levels 1, 3, ..., 15.
fn q_values(number: u32, signs: u32) -> vec4<f32> {
    return grid_signed(grid_of_eight(grid_point(GRID_IQ3_S, number)) * 2u + 1u, signs);
}
fn q_scale(block: u32, e: u32) -> f32 {
    let scale = (q_u8(block + 106u + (e >> 6u)) >> ((e & 32u) >> 3u)) & 15u;
    return q_f16(block) * f32(scale * 2u + 1u);
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let block = row + (i >> 8u) * 110u;
    let e = i & 255u;
    let high = (q_u8(block + 66u + (e >> 5u)) >> ((e >> 2u) & 7u)) & 1u;
    let signs = q_u8(block + 74u + (e >> 3u)) >> (i & 4u);
    return q_values(q_u8(block + 2u + (e >> 2u)) | (high << 8u), signs) * q_scale(block, e);
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 8u) * 110u;
    let e = i & 255u;
    let d = q_scale(block, e);
    let high = q_u8(block + 66u + (e >> 5u)) >> ((e >> 2u) & 4u);
    let signs = q_u16(block + 74u + (e >> 3u));
    let w = q_u32(block + 2u + (e >> 2u));
    return array<vec4<f32>, 4>(
        q_values((w & 255u) | ((high & 1u) << 8u), signs) * d,
        q_values(((w >> 8u) & 255u) | ((high & 2u) << 7u), signs >> 4u) * d,
        q_values(((w >> 16u) & 255u) | ((high & 4u) << 6u), signs >> 8u) * d,
        q_values((w >> 24u) | ((high & 8u) << 5u), signs >> 12u) * d
    );
}
