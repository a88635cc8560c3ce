// REPEAT_BACK: each element of dst is the sum of all elements of src that a repetition would have made of it.
#import common/grid
#import common/view
struct Params {
    count: u32, // elements of dst
    ne0: u32, // shape of dst
    ne1: u32,
    ne2: u32,
    ne3: u32,
    times0: u32, // repetitions in src
    times1: u32,
    times2: u32,
    times3: u32,
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
    var sum = 0.0;
    for (var t3 = 0u; t3 < params.times3; t3++) {
        for (var t2 = 0u; t2 < params.times2; t2++) {
            for (var t1 = 0u; t1 < params.times1; t1++) {
                for (var t0 = 0u; t0 < params.times0; t0++) {
                    sum += src_get(at(
                        params.src_view,
                        t0 * params.ne0 + i0,
                        t1 * params.ne1 + i1,
                        t2 * params.ne2 + i2,
                        t3 * params.ne3 + i3,
                    ));
                }
            }
        }
    }
    dst_put(at(params.dst_view, i0, i1, i2, i3), sum);
}
