// iq2_xxs in a binding of words `Q`. 66 bytes for 256 elements: f16 d, then 8 bytes for each 32 elements: four numbers of grid points,
// and a word of four times seven signs with a scale above them; an element is d * (scale + 1/2) / 4 * its signed level.
#import common/types/words q_ Q
#import common/types/grids
fn q_scale(block: u32, signs: u32) -> f32 {
    return q_f16(block) * (f32(signs >> 28u) + 0.5) * 0.25;
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let block = row + (i >> 8u) * 66u;
    let at = block + 2u + ((i & 224u) >> 2u);
    let l = (i >> 3u) & 3u;
    let half = i & 4u;
    let signs = q_u32(at + 4u);
    let point = grid_point(GRID_IQ2_XXS, q_u8(at + l));
    return grid_of_three(point >> (half * 2u), grid_signs(signs >> (l * 7u)) >> half) * q_scale(block, signs);
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 8u) * 66u;
    let at = block + 2u + ((i & 224u) >> 2u);
    let l = (i >> 3u) & 2u;
    let signs = q_u32(at + 4u);
    let points = q_u16(at + l);
    let d = q_scale(block, signs);
    let p = grid_point(GRID_IQ2_XXS, points & 255u);
    let q = grid_point(GRID_IQ2_XXS, points >> 8u);
    let s = grid_signs(signs >> (l * 7u));
    let t = grid_signs(signs >> (l * 7u + 7u));
    return array<vec4<f32>, 4>(
        grid_of_three(p, s) * d,
        grid_of_three(p >> 8u, s >> 4u) * d,
        grid_of_three(q, t) * d,
        grid_of_three(q >> 8u, t >> 4u) * d
    );
}
