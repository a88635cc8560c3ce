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
// a / b: the remainders of an approximate inverse and quotient, which a fused product and sum finds, correct them.
fn quotient(a: f32, b: f32) -> f32 {
    let first = 1.0 / b;
    let inverse = fma(first, fma(-b, first, 1.0), first);
    let q = exact(a * inverse);
    return fma(fma(-b, q, a), inverse, q);
}
fn quotient4(a: vec4<f32>, b: f32) -> vec4<f32> {
    let first = 1.0 / b;
    let inverse = fma(first, fma(-b, first, 1.0), first);
    let q = exact4(a * inverse);
    return fma(fma(vec4<f32>(-b), q, a), vec4<f32>(inverse), q);
}
fn root(v: f32) -> f32 {
    let s = sqrt(v);
    return select(fma(fma(-s, s, v), 0.5 / s, s), 0.0, v == 0.0);
}
