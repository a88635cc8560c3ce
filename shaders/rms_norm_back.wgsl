// RMS_NORM_BACK: the gradient of x / rms(x) for each row, where src0 is the gradient of the result and src1 is x. VEC: rows as vectors of four.
#import common/grid
#import common/view
struct Params {
    rows: u32,
    ne0: u32,
    ne1: u32,
    ne2: u32,
    eps: f32,
    src0_view: View,
    src1_view: View,
    dst_view: View,
}
#params
override wg_size: u32;
#import common/reduce
#define dst_WRITE 1
#if VEC
#define src0_VEC 1
#define src1_VEC 1
#define dst_VEC 1
#define STEP 4u
#else
#define STEP 1u
#endif
#bind src0: array<WORD>
#bind src1: array<WORD>
#bind dst: array<WORD>
#import common/types/f32 q_=src0_ Q=src0
#import common/types/f32 q_=src1_ Q=src1
#import common/types/f32 q_=dst_ Q=dst

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
    let gradient = at(params.src0_view, 0u, i1, i2, i3);
    let x_start = at(params.src1_view, 0u, i1, i2, i3);
    let to = at(params.dst_view, 0u, i1, i2, i3);

    var squares = 0.0;
    var products = 0.0;
    for (var i = lane * STEP; i < params.ne0; i += wg_size * STEP) {
#if VEC
        let x = src1_get4(x_start + i * 4u);
        squares += dot(x, x);
        products += dot(x, src0_get4(gradient + i * 4u));
#else
        let x = src1_get(x_start + i * params.src1_view.nb0);
        squares += x * x;
        products += x * src0_get(gradient + i * params.src0_view.nb0);
#endif
    }
    let square = reduce_add(squares) + params.eps * f32(params.ne0);
    let along = -reduce_add(products) / square;
    let scale = 1.0 / sqrt(square / f32(params.ne0));
    for (var i = lane * STEP; i < params.ne0; i += wg_size * STEP) {
#if VEC
        dst_put4(to + i * 4u, (src1_get4(x_start + i * 4u) * along + src0_get4(gradient + i * 4u)) * scale);
#else
        let x = src1_get(x_start + i * params.src1_view.nb0);
        dst_put(to + i * params.dst_view.nb0, (x * along + src0_get(gradient + i * params.src0_view.nb0)) * scale);
#endif
    }
}
