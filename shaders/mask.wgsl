// f32 matrices of which only a part is kept. KIND: diag (the diagonal is src, its only row), upper_diag, upper, lower_diag, lower
// (that part of src), causal (of row j, what is not behind element past + j; `fill` elsewhere).
#import common/grid
#import common/view
struct Params {
    count: u32, // elements of dst
    ne0: u32,
    ne1: u32,
    ne2: u32,
    first: u32, // number of the first row
    past: i32,
    fill: f32,
    src_view: View,
    dst_view: View,
}
#params
#define dst_WRITE 1
#bind src: array<f32>
#bind dst: array<f32>
#import common/types/f32 q_=src_ Q=src
#import common/types/f32 q_=dst_ Q=dst
override wg_size: u32;

fn kept(i0: i32, i1: i32) -> bool {
#if KIND == diag
    return i0 == i1;
#elif KIND == upper_diag
    return i0 >= i1;
#elif KIND == upper
    return i0 > i1;
#elif KIND == lower_diag
    return i0 <= i1;
#elif KIND == lower
    return i0 < i1;
#else
    return i0 <= params.past + i1;
#endif
}

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = workgroup_index(id, count) * wg_size + lane;
    if (i >= params.count) {
        return;
    }
    let row = i / params.ne0;
    let plane = row / params.ne1;
    let i0 = i % params.ne0;
    let i1 = row % params.ne1;
    let i2 = plane % params.ne2;
    let i3 = plane / params.ne2;
    var v = params.fill;
    if (kept(i32(i0), i32(params.first + i1))) {
#if KIND == diag
        v = src_get(at(params.src_view, i0, 0u, i2, i3));
#else
        v = src_get(at(params.src_view, i0, i1, i2, i3));
#endif
    }
    dst_put(at(params.dst_view, i0, i1, i2, i3), v);
}
