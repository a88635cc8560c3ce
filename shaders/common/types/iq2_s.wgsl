// iq2_s in a binding of words `Q`. 82 bytes for 256 elements: f16 d, for each 8 elements a byte of the number of a grid point, then
// a byte of signs for each, then for each 32 elements a byte with four times the upper two bits of the numbers, then 4-bit scales for
// each 16 elements; an element is d * (scale + 1/2) / 4 * its signed level.
#import common/types/words q_ Q
#import common/types/grids
fn q_scale(block: u32, e: u32) -> f32 {
    let scale = (q_u8(block + 74u + (e >> 5u)) >> ((e & 16u) >> 2u)) & 15u;
    return q_f16(block) * (f32(scale) + 0.5) * 0.25;
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let block = row + (i >> 8u) * 82u;
    let e = i & 255u;
    let g = e >> 3u;
    let half = i & 4u;
    let high = (q_u8(block + 66u + (e >> 5u)) >> ((g & 3u) * 2u)) & 3u;
    let point = grid_point(GRID_IQ2_S, q_u8(block + 2u + g) | (high << 8u));
    return grid_of_three(point >> (half * 2u), q_u8(block + 34u + g) >> half) * q_scale(block, e);
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 8u) * 82u;
    let e = i & 255u;
    let g = e >> 3u;
    let d = q_scale(block, e);
    let low = q_u16(block + 2u + g);
    let signs = q_u16(block + 34u + g);
    let high = q_u8(block + 66u + (e >> 5u)) >> ((g & 2u) * 2u);
    let p = grid_point(GRID_IQ2_S, (low & 255u) | ((high & 3u) << 8u));
    let q = grid_point(GRID_IQ2_S, (low >> 8u) | ((high & 12u) << 6u));
    return array<vec4<f32>, 4>(
        grid_of_three(p, signs) * d,
        grid_of_three(p >> 8u, signs >> 4u) * d,
        grid_of_three(q, signs >> 8u) * d,
        grid_of_three(q >> 8u, signs >> 12u) * d
    );
}
