// CROSS_ENTROPY_LOSS: for each row the sum of log_softmax(src0) * src1; the room adds them up.
// BACK: (softmax(src0) - src1) * gradient / rows. One workgroup for each row. VEC: rows as vectors of four.
#import common/grid
#import common/view
struct Params {
    rows: u32,
    ne0: u32,
    ne1: u32,
    ne2: u32,
    src0_view: View,
    src1_view: View,
    dst_view: View, // without BACK: a number for each row
    gradient_offset: u32,
    all_rows: f32,
}
#params
override wg_size: u32;
#import common/reduce
#define dst_WRITE 1
#if VEC
#define src0_VEC 1
#define src1_VEC 1
#define Value vec4<f32>
#define STEP 4u
#if BACK
#define dst_VEC 1
#endif
#else
#define Value f32
#define STEP 1u
#endif
#bind src0: array<WORD>
#bind src1: array<WORD>
#import common/types/f32 q_=src0_ Q=src0
#import common/types/f32 q_=src1_ Q=src1
#if BACK
#bind gradient: array<f32>
#bind dst: array<WORD>
#else
#bind dst: array<f32>
#endif
#import common/types/f32 q_=dst_ Q=dst

var<private> x_start: u32;
var<private> y_start: u32;

#if VEC
fn x_at(i: u32) -> vec4<f32> {
    return src0_get4(x_start + i * 4u);
}
fn y_at(i: u32) -> vec4<f32> {
    return src1_get4(y_start + i * 4u);
}
fn total(v: vec4<f32>) -> f32 {
    return (v.x + v.y) + (v.z + v.w);
}
fn largest(v: vec4<f32>) -> f32 {
    return max(max(v.x, v.y), max(v.z, v.w));
}
#else
fn x_at(i: u32) -> f32 {
    return src0_get(x_start + i * params.src0_view.nb0);
}
fn y_at(i: u32) -> f32 {
    return src1_get(y_start + i * params.src1_view.nb0);
}
fn total(v: f32) -> f32 {
    return v;
}
fn largest(v: f32) -> f32 {
    return v;
}
#endif

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32, REDUCE_BUILTINS) {
    REDUCE_START
    let row = workgroup_index(id, count);
    if (row >= params.rows) {
        return;
    }
    let i1 = row % params.ne1;
    let i2 = row / params.ne1 % params.ne2;
    let i3 = row / (params.ne1 * params.ne2);
    x_start = at(params.src0_view, 0u, i1, i2, i3);
    y_start = at(params.src1_view, 0u, i1, i2, i3);
    let to = at(params.dst_view, 0u, i1, i2, i3);

    var top = -3.4028234663852886e38;
    for (var i = lane * STEP; i < params.ne0; i += wg_size * STEP) {
        top = max(top, largest(x_at(i)));
    }
    top = reduce_max(top);
    var sum = 0.0;
    for (var i = lane * STEP; i < params.ne0; i += wg_size * STEP) {
        sum += total(exp(x_at(i) - top));
    }
    sum = reduce_add(sum);
#if BACK
    let factor = 1.0 / sum;
    let slope = gradient[params.gradient_offset >> 2u] / params.all_rows;
    for (var i = lane * STEP; i < params.ne0; i += wg_size * STEP) {
        let v = (exp(x_at(i) - top) * factor - y_at(i)) * slope;
#if VEC
        dst_put4(to + i * 4u, v);
#else
        dst_put(to + i * params.dst_view.nb0, v);
#endif
    }
#else
    let offset = log(sum);
    var loss = 0.0;
    for (var i = lane * STEP; i < params.ne0; i += wg_size * STEP) {
        loss += total(((x_at(i) - top) - offset) * y_at(i));
    }
    loss = reduce_add(loss);
    if (lane == 0u) {
        dst_put(to, loss);
    }
#endif
}
