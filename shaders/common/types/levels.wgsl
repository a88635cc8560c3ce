// Levels of non-linear 4-bit types, for nibbles at bits 0 to 3 of each byte.
// The sixteen of iq4_nl and iq4_xs: -127 -104 -83 -65 -49 -35 -22 -10 1 13 25 38 53 69 89 113, as signed bytes.
fn iq4_levels(w: u32) -> vec4<f32> {
    let n = unpack4xU8(w);
    let upper = (n & vec4<u32>(4u)) != vec4<u32>(0u);
    let low = select(vec4<u32>(0xbfad9881u), vec4<u32>(0xf6eaddcfu), upper);
    let high = select(vec4<u32>(0x26190d01u), vec4<u32>(0x71594535u), upper);
    let word = select(low, high, (n & vec4<u32>(8u)) != vec4<u32>(0u));
    // The byte moves to the top and comes back with its sign.
    return vec4<f32>(bitcast<vec4<i32>>(word << (vec4<u32>(24u) - ((n & vec4<u32>(3u)) << vec4<u32>(3u)))) >> vec4<u32>(24u));
}
// Twice a float of one sign, two exponent and one mantissa bits: 0 1 2 3 4 6 8 12, then the same with a minus.
fn fp4_levels(w: u32) -> vec4<f32> {
    let n = unpack4xU8(w);
    let exponent = (n >> vec4<u32>(1u)) & vec4<u32>(3u);
    let normal = min(exponent, vec4<u32>(1u));
    let size = vec4<f32>(((normal << vec4<u32>(1u)) | (n & vec4<u32>(1u))) << (exponent - normal));
    return select(size, -size, n >= vec4<u32>(8u));
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
