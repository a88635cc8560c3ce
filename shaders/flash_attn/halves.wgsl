// Eight neighbours of a row as f16, for matrix units: `q_halves(row, i)` gives elements i to i + 7 (i a multiple of 8) of the row
// that begins at byte `row` of the binding `Q`. q_WIDE: f16 in an array of vec4<u32>. The type's own file is imported before.
#import flash_attn/eight
#if q_WIDE
fn q_halves(row: u32, i: u32) -> Halves {
    let w = Q[(row + i * 2u) >> 4u];
    return Halves(bitcast<vec4<f16>>(w.xy), bitcast<vec4<f16>>(w.zw));
}
#else
// Quantised values can be larger than f16's largest.
fn q_clamped(x: vec4<f32>) -> vec4<f16> {
    return vec4<f16>(clamp(x, vec4<f32>(-65504.0), vec4<f32>(65504.0)));
}
fn q_halves(row: u32, i: u32) -> Halves {
    return Halves(q_clamped(q_row4(row, i)), q_clamped(q_row4(row, i + 4u)));
}
#endif
