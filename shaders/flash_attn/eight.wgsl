// Eight neighbours as f16, which kernels with matrix units bring at a time.
struct Halves {
    a: vec4<f16>,
    b: vec4<f16>,
}
