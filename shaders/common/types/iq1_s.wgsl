// iq1_s in a binding of words `Q`. 50 bytes for 256 elements: f16 d, a byte of the number of a grid point for each 8 elements, 16 bits
// for each 32 elements: four times the upper three bits of the numbers, a scale of three bits, a sign; an element is
// d * (2 scale + 1) * (its level + or - 1/8).
#import common/types/words q_ Q
#import common/types/grids
// Factor and shift.
fn q_scale(block: u32, high: u32) -> vec2<f32> {
    return vec2<f32>(q_f16(block) * f32(((high >> 11u) & 14u) + 1u), select(0.125, -0.125, (high & 0x8000u) != 0u));
}
fn q_row4(row: u32, i: u32) -> vec4<f32> {
    let block = row + (i >> 8u) * 50u;
    let e = i & 255u;
    let high = q_u16(block + 34u + ((e >> 5u) << 1u));
    let s = q_scale(block, high);
    let number = q_u8(block + 2u + (e >> 3u)) | (((high >> (((e >> 3u) & 3u) * 3u)) & 7u) << 8u);
    return (grid_of_trits(grid_point(GRID_IQ1, number) >> ((i & 4u) * 2u)) + s.y) * s.x;
}
fn q_load16(row: u32, i: u32) -> array<vec4<f32>, 4> {
    let block = row + (i >> 8u) * 50u;
    let e = i & 255u;
    let high = q_u16(block + 34u + ((e >> 5u) << 1u));
    let s = q_scale(block, high);
    let low = q_u16(block + 2u + (e >> 3u));
    let tops = high >> (((e >> 3u) & 2u) * 3u);
    let p = grid_point(GRID_IQ1, (low & 255u) | ((tops & 7u) << 8u));
    let q = grid_point(GRID_IQ1, (low >> 8u) | ((tops & 56u) << 5u));
    return array<vec4<f32>, 4>(
        (grid_of_trits(p) + s.y) * s.x,
        (grid_of_trits(p >> 8u) + s.y) * s.x,
        (grid_of_trits(q) + s.y) * s.x,
        (grid_of_trits(q >> 8u) + s.y) * s.x
    );
}
