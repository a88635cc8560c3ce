// SOFT_MAX_BACK: scale * (dy - dot(y, dy)) * y for each row, where src0 is dy and src1 is y; one workgroup for each row.
// VEC: rows as vectors of four.
#import common/grid
#import common/view
struct Params {
    rows: u32,
    ne0: u32,
    ne1: u32,
    ne2: u32,
    scale: f32,
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
    let dy = at(params.src0_view, 0u, i1, i2, i3);
    let y = at(params.src1_view, 0u, i1, i2, i3);
    let dx = at(params.dst_view, 0u, i1, i2, i3);

    var product = 0.0;
    for (var i = lane * STEP; i < params.ne0; i += wg_size * STEP) {
#if VEC
        product += dot(src1_get4(y + i * 4u), src0_get4(dy + i * 4u));
#else
        product += src1_get(y + i * params.src1_view.nb0) * src0_get(dy + i * params.src0_view.nb0);
#endif
    }
    product = reduce_add(product);
    for (var i = lane * STEP; i < params.ne0; i += wg_size * STEP) {
#if VEC
        dst_put4(dx + i * 4u, params.scale * (src0_get4(dy + i * 4u) - product) * src1_get4(y + i * 4u));
#else
        let v = params.scale * (src0_get(dy + i * params.src0_view.nb0) - product) * src1_get(y + i * params.src1_view.nb0);
        dst_put(dx + i * params.dst_view.nb0, v);
#endif
    }
}
