// Arithmetic that rounds as the CPU's does, for encoders: they choose between neighbouring values, so a last bit decides. A compiler for
// a GPU may fuse a product with a sum, and divides with an error of a few last bits.

// 0, but a compiler does not know. Set by `exact_begin`.
var<private> exact_zero: u32;
// `place`: a number that is never 2^32 - 1, which a compiler does not know either.
fn exact_begin(place: u32) {
    exact_zero = select(0u, 1u, place == 0xffffffffu);
}
// A product that stays one where it is added to something.
fn exact(v: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(v) | exact_zero);
}
fn exact4(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) | vec4<u32>(exact_zero));
}
// A sum and four products, added in their order: a compiler may order sums and products anew as well.
fn add_exact4(sum: f32, products: vec4<f32>) -> f32 {
    let v = exact4(products);
    return exact(exact(exact(exact(sum + v.x) + v.y) + v.z) + v.w);
}
// The upper half of a number's digits. Products of halves are exact, so that it does not matter whether they are fused with a sum.
fn upper4(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) & vec4<u32>(0xfffff000u));
}
// a - b * q, exact where q is nearly a / b. (Some drivers round twice in `fma`.)
fn remainder4(a: vec4<f32>, b: vec4<f32>, q: vec4<f32>) -> vec4<f32> {
    let bh = upper4(b);
    let qh = upper4(q);
    let bl = exact4(b - bh);
    let ql = exact4(q - qh);
    return exact4(exact4(exact4(exact4(a - bh * qh) - bh * ql) - bl * qh) - bl * ql);
}
// a / b: the remainder corrects what a driver finds, which may be wrong in the last bits.
fn quotient4(a: vec4<f32>, b: f32) -> vec4<f32> {
    let q = exact4(a / b);
    return q + remainder4(a, vec4<f32>(b), q) / b;
}
fn quotient(a: f32, b: f32) -> f32 {
    return quotient4(vec4<f32>(a), b).x;
}
fn root(v: f32) -> f32 {
    let s = exact(sqrt(v));
    return select(s + remainder4(vec4<f32>(v), vec4<f32>(s), vec4<f32>(s)).x / (2.0 * s), 0.0, v == 0.0);
}
// Two f16 that were packed just now: a compiler may else go on with what they were before they were rounded.
fn unpack_exact(w: u32) -> vec2<f32> {
    return unpack2x16float(w | exact_zero);
}
// A value as f16 holds it.
fn half_exact(v: f32) -> f32 {
    return unpack_exact(pack2x16float(vec2<f32>(v, 0.0))).x;
}
