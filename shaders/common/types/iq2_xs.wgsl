// iq2_xs in a binding of words `Q`. 74 bytes for 256 elements: f16 d, 16 bits for each 8 elements (the number of a grid point, seven
// signs above it), 4-bit scales for each 16 elements; an element is d * (scale + 1/2) / 4 * its signed level.
#import common/types/words q_ Q
#import common/types/grids
fn q_scale(block: u32, e: u32) -> f32 {
    let scale = (q_u8(block + 66u + (e >> 5u)) >> ((e & 16u) >> 2u)) & 15u;
    return q_f16(block) * (f32(scale) + 0.5) * 0.25;
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let block = row + (i >> 8u) * 74u;
    let e = i & 255u;
    let half = i & 4u;
    let w = q_u16(block + 2u + ((e >> 3u) << 1u));
    return grid_of_three(grid_point(GRID_IQ2_XS, w & 511u) >> (half * 2u), grid_signs(w >> 9u) >> half) * q_scale(block, e);
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 8u) * 74u;
    let e = i & 255u;
    let d = q_scale(block, e);
    let w = q_u32(block + 2u + (e >> 2u));
    let p = grid_point(GRID_IQ2_XS, w & 511u);
    let q = grid_point(GRID_IQ2_XS, (w >> 16u) & 511u);
    let s = grid_signs(w >> 9u);
    let t = grid_signs(w >> 25u);
    return array<vec4<f32>, 4>(
        grid_of_three(p, s) * d,
        grid_of_three(p >> 8u, s >> 4u) * d,
        grid_of_three(q, t) * d,
        grid_of_three(q >> 8u, t >> 4u) * d
    );
}
