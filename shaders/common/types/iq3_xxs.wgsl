// iq3_xxs in a binding of words `Q`. 98 bytes for 256 elements: f16 d, the number of a grid point for each 4 elements, then for each
// 32 elements a word of four times seven signs with a scale above them; an element is d * (scale + 1/2) / 2 * its signed level.
#import common/types/words q_ Q
#import common/types/grids
// Levels 4, 12, 20, 28, 36, 44, 52, 62.
fn q_values(point: u32, signs: u32) -> vec4<f32> {
    let c = grid_of_eight(point);
    return grid_signed(c * 8u + 4u + ((c + 1u) >> vec4<u32>(3u)) * 2u, signs);
}
fn q_scale(block: u32, signs: u32) -> f32 {
    return q_f16(block) * (f32(signs >> 28u) + 0.5) * 0.5;
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let block = row + (i >> 8u) * 98u;
    let e = i & 255u;
    let signs = q_u32(block + 66u + ((e >> 5u) << 2u));
    let eight = grid_signs(signs >> (((e >> 3u) & 3u) * 7u));
    return q_values(grid_point(GRID_IQ3_XXS, q_u8(block + 2u + (e >> 2u))), eight >> (i & 4u)) * q_scale(block, signs);
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 8u) * 98u;
    let e = i & 255u;
    let signs = q_u32(block + 66u + ((e >> 5u) << 2u));
    let d = q_scale(block, signs);
    let w = q_u32(block + 2u + (e >> 2u));
    let s = grid_signs(signs >> (((e >> 3u) & 2u) * 7u));
    let t = grid_signs(signs >> (((e >> 3u) & 2u) * 7u + 7u));
    return array<vec4<f32>, 4>(
        q_values(grid_point(GRID_IQ3_XXS, w & 255u), s) * d,
        q_values(grid_point(GRID_IQ3_XXS, (w >> 8u) & 255u), s >> 4u) * d,
        q_values(grid_point(GRID_IQ3_XXS, (w >> 16u) & 255u), t) * d,
        q_values(grid_point(GRID_IQ3_XXS, w >> 24u), t >> 4u) * d
    );
}
