// Levels of non-linear 4-bit types, for nibbles at bits 0 to 3 of each byte: four at once, as bytes.
fn level_choice(low: u32, high: u32, mask: u32) -> u32 {
    return low ^ ((low ^ high) & mask);
}
// The sixteen of iq4_nl and iq4_xs, -127 -104 -83 -65 -49 -35 -22 -10 1 13 25 38 53 69 89 113, plus 128. The bits of the nibbles choose
// between neighbours, then between what was chosen.
fn iq4_levels(w: u32) -> u32 {
    let a = (w & 0x01010101u) * 255u;
    let b = ((w >> 1u) & 0x01010101u) * 255u;
    let c = ((w >> 2u) & 0x01010101u) * 255u;
    let d = ((w >> 3u) & 0x01010101u) * 255u;
    let low = level_choice(
        level_choice(level_choice(0x01010101u, 0x18181818u, a), level_choice(0x2d2d2d2du, 0x3f3f3f3fu, a), b),
        level_choice(level_choice(0x4f4f4f4fu, 0x5d5d5d5du, a), level_choice(0x6a6a6a6au, 0x76767676u, a), b),
        c
    );
    let high = level_choice(
        level_choice(level_choice(0x81818181u, 0x8d8d8d8du, a), level_choice(0x99999999u, 0xa6a6a6a6u, a), b),
        level_choice(level_choice(0xb5b5b5b5u, 0xc5c5c5c5u, a), level_choice(0xd9d9d9d9u, 0xf1f1f1f1u, a), b),
        c
    );
    return level_choice(low, high, d);
}
// Twice a float of one sign, two exponent and one mantissa bits, 0 1 2 3 4 6 8 12, then the same with a minus; plus 16.
fn fp4_levels(w: u32) -> u32 {
    let size = w & 0x07070707u;
    // From 4 on a step is 2, not 1; the last one is 4.
    let from4 = (w >> 2u) & 0x01010101u;
    let seven = from4 & (w >> 1u) & w;
    let all = size + (w & (from4 * 3u)) + (seven << 1u);
    // 16 - x is the complement of x in four bits, plus 1.
    let minus = (w >> 3u) & 0x01010101u;
    return (all ^ (minus * 15u)) + 0x10101010u - minus * 15u;
}
// The number of the level nearest to v / d, the smaller one of two.
fn fp4_nearest(v: vec4<f32>, d: f32) -> vec4<u32> {
    var n = vec4<u32>();
    for (var c = 0u; c < 4u; c++) {
        let x = vec4<f32>(abs(v[c]));
        let a = select(vec4<u32>(0u), vec4<u32>(1u), x > vec4<f32>(0.5, 1.5, 2.5, 3.5) * d);
        let b = select(vec4<u32>(0u), vec4<u32>(1u), x > vec4<f32>(5.0, 7.0, 10.0, 10.0) * d);
        n[c] = dot(a, vec4<u32>(1u)) + dot(b, vec4<u32>(1u, 1u, 1u, 0u));
        n[c] |= select(0u, 8u, v[c] < 0.0 && n[c] > 0u);
    }
    return n;
}
