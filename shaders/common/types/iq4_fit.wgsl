// Encoding of the 32 elements that share a scale in iq4_nl and iq4_xs. x: the block's elements.
#import common/types/levels
// The number of the nearest level, the upper one of two.
fn q_nearest(v: vec4<f32>) -> vec4<u32> {
    var n = vec4<u32>();
    for (var c = 0u; c < 4u; c++) {
        let x = vec4<f32>(v[c]);
        let a = select(vec4<u32>(0u), vec4<u32>(1u), x >= vec4<f32>(-115.5, -93.5, -74.0, -57.0));
        let b = select(vec4<u32>(0u), vec4<u32>(1u), x >= vec4<f32>(-42.0, -28.5, -16.0, -4.5));
        let d = select(vec4<u32>(0u), vec4<u32>(1u), x >= vec4<f32>(7.0, 19.0, 31.5, 45.5));
        let e = select(vec4<u32>(0u), vec4<u32>(1u), x >= vec4<f32>(61.0, 79.0, 101.0, 1e30));
        n[c] = dot(a + b + d + e, vec4<u32>(1u));
    }
    return n;
}
// Sums run in the order of the elements, as the CPU's. With the inverse scale `id`, weighted by squares: the products of elements and levels, the squares of levels.
fn q_sums(x: ptr<function, array<vec4<f32>, q_VECTORS>>, start: u32, id: f32) -> vec2<f32> {
    var sums = vec2<f32>();
    for (var k = start; k < start + 8u; k++) {
        let v = (*x)[k];
        let level = q_bytes(iq4_levels(pack4xU8(q_nearest(v * id)))) - 128.0;
        let weighted = exact4(exact4(v * v) * level);
        sums = vec2<f32>(add_exact4(sums.x, weighted * v), add_exact4(sums.y, weighted * level));
    }
    return sums;
}
// The element farthest from 0 of the 32 from vector `start`.
fn q_extreme(x: ptr<function, array<vec4<f32>, q_VECTORS>>, start: u32) -> f32 {
    var most = 0.0;
    for (var k = start; k < start + 8u; k++) {
        let v = (*x)[k];
        for (var c = 0u; c < 4u; c++) {
            most = select(most, v[c], abs(v[c]) > abs(most));
        }
    }
    return most;
}
