// Eight f16.
struct Halves {
    a: vec4<f16>,
    b: vec4<f16>,
}
