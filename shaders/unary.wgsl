// dst = OP(src), element by element on rows of any distances. VEC: four elements at once. OP: a function of this file or of
// common/math; FILL: there is no source.
#import common/grid
#import common/math
struct Params {
    count: u32, // elements of dst, or groups of four
    ne0: u32, // of a row, in elements or groups of four
    ne1: u32,
    ne2: u32,
    src_offset: u32,
    src_nb1: u32,
    src_nb2: u32,
    src_nb3: u32,
    dst_offset: u32,
    dst_nb1: u32,
    dst_nb2: u32,
    dst_nb3: u32,
    // The op's own
    p0: f32,
    p1: f32,
    p2: f32,
    p3: f32,
}
#params
#define dst_WRITE 1
#if VEC
#define src_VEC 1
#define dst_VEC 1
#endif
#if !FILL
#bind src: array<SRC_WORD>
#import common/types/SRC q_=src_ Q=src
#endif
#bind dst: array<DST_WORD>
#import common/types/DST q_=dst_ Q=dst
override wg_size: u32;

// Comparisons as C has them: with a NaN they are false.
fn sgn(x: f32) -> f32 {
    return select(select(0.0, -1.0, x < 0.0), 1.0, x > 0.0);
}
fn neg(x: f32) -> f32 {
    return -x;
}
fn step_(x: f32) -> f32 {
    return select(0.0, 1.0, x > 0.0);
}
fn elu(x: f32) -> f32 {
    return select(expm1_(x), x, x > 0.0);
}
fn relu(x: f32) -> f32 {
    return select(0.0, x, x > 0.0);
}
fn hardsigmoid(x: f32) -> f32 {
    return min(1.0, max(0.0, (x + 3.0) / 6.0));
}
fn hardswish(x: f32) -> f32 {
    return x * hardsigmoid(x);
}
fn softplus(x: f32) -> f32 {
    return select(log(1.0 + exp(x)), x, x > 20.0);
}
// Halves go away from zero.
fn round_(x: f32) -> f32 {
    let whole = trunc(x);
    return select(whole, whole + sign(x), abs(x - whole) >= 0.5);
}
fn xielu(x: f32) -> f32 {
    if (x > 0.0) {
        return params.p1 * x * x + params.p2 * x;
    }
    return (expm1_(min(x, params.p3)) - x) * params.p0 + params.p2 * x;
}
fn sqr(x: f32) -> f32 {
    return x * x;
}
fn leaky_relu(x: f32) -> f32 {
    return select(0.0, x, x > 0.0) + params.p0 * select(0.0, x, x < 0.0);
}
fn clamp_(x: f32) -> f32 {
    let below = select(params.p1, x, x < params.p1);
    return select(params.p0, below, below > params.p0);
}
fn scale(x: f32) -> f32 {
    return x * params.p0 + params.p1;
}

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = workgroup_index(id, count) * wg_size + lane;
    if (i >= params.count) {
        return;
    }
    let row = i / params.ne0;
    let i1 = row % params.ne1;
    let plane = row / params.ne1;
    let i2 = plane % params.ne2;
    let i3 = plane / params.ne2;
    let within = i % params.ne0;
    let to = params.dst_offset + within * DST_STEP + i1 * params.dst_nb1 + i2 * params.dst_nb2 + i3 * params.dst_nb3;
#if FILL
#if VEC
    dst_put4(to, vec4<f32>(params.p0));
#else
    dst_put(to, params.p0);
#endif
#else
    let at = params.src_offset + within * SRC_STEP + i1 * params.src_nb1 + i2 * params.src_nb2 + i3 * params.src_nb3;
#if VEC
    let v = src_get4(at);
    dst_put4(to, vec4<f32>(OP(v.x), OP(v.y), OP(v.z), OP(v.w)));
#else
    dst_put(to, OP(src_get(at)));
#endif
#endif
}
