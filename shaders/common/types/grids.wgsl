// The grids of the iq types: points of eight levels of two bits or four of four, two points in a word (`ggml/grids.rs`). Every dispatch
// with a tensor of such a type has the binding `grids`.
#bind grids: array<u32>
const GRID_IQ2_XXS: u32 = 0u;
const GRID_IQ2_XS: u32 = 128u;
const GRID_IQ2_S: u32 = 384u;
const GRID_IQ3_XXS: u32 = 896u;
const GRID_IQ3_S: u32 = 1024u;
const GRID_IQ1: u32 = 1280u;
// The point in the lower 16 bits; above them is another.
fn grid_point(grid: u32, i: u32) -> u32 {
    return grids[grid + (i >> 1u)] >> ((i & 1u) * 16u);
}
// Values of four neighbours of a grid's point, with their signs (a set bit of the lower four: minus).
fn grid_signed(v: vec4<u32>, signs: u32) -> vec4<f32> {
    let minus = (vec4<u32>(signs) & vec4<u32>(1u, 2u, 4u, 8u)) != vec4<u32>(0u);
    return select(vec4<f32>(v), -vec4<f32>(v), minus);
}
// Levels of two bits: 8, 25, 43.
fn grid_of_three(point: u32, signs: u32) -> vec4<f32> {
    let c = (vec4<u32>(point) >> vec4<u32>(0u, 2u, 4u, 6u)) & vec4<u32>(3u);
    return grid_signed(c * 17u + 8u + (c >> vec4<u32>(1u)), signs);
}
// Levels of four bits, as they are: 0 to 7.
fn grid_of_eight(point: u32) -> vec4<u32> {
    return (vec4<u32>(point) >> vec4<u32>(0u, 4u, 8u, 12u)) & vec4<u32>(7u);
}
// Levels of two bits: -1, 0, 1.
fn grid_of_trits(point: u32) -> vec4<f32> {
    return vec4<f32>((vec4<u32>(point) >> vec4<u32>(0u, 2u, 4u, 6u)) & vec4<u32>(3u)) - 1.0;
}
// Eight signs from seven: their number is even.
fn grid_signs(seven: u32) -> u32 {
    let s = seven & 127u;
    return s | ((countOneBits(s) & 1u) << 7u);
}
