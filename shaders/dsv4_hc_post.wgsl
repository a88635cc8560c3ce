// DSV4_HC_POST: x of each token weighted for each stream, plus the old streams: mixed by a matrix of the token (COMB), or each its own.
// VEC: four elements for each invocation.
#import common/grid
#import common/view
struct Params {
    count: u32, // elements of dst, or groups of four
    ne0: u32,   // of a row
    ne1: u32,
    streams: u32,
    x_view: View,
    residual_view: View,
    post_view: View,
    comb_view: View,
    dst_view: View,
}
#params
#if VEC
#define Value vec4<f32>
#define STEP 4u
#define BYTES 16u
#else
#define Value f32
#define STEP 1u
#define BYTES 4u
#endif
#bind x: array<Value>
#bind residual: array<Value>
#bind post: array<f32>
#if COMB
#bind comb: array<f32>
#endif
#bind dst: array<Value>
override wg_size: u32;

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = workgroup_index(id, count) * wg_size + lane;
    if (i >= params.count) {
        return;
    }
    let i0 = i % params.ne0 * STEP;
    let stream = i / params.ne0 % params.ne1;
    let token = i / params.ne0 / params.ne1;
    var sum = x[at(params.x_view, i0, token, 0u, 0u) / BYTES] * post[at(params.post_view, stream, token, 0u, 0u) >> 2u];
#if COMB
    for (var other = 0u; other < params.streams; other++) {
        sum += residual[at(params.residual_view, i0, other, token, 0u) / BYTES] * comb[at(params.comb_view, stream, other, token, 0u) >> 2u];
    }
#else
    sum += residual[at(params.residual_view, i0, stream, token, 0u) / BYTES];
#endif
    dst[at(params.dst_view, i0, stream, token, 0u) / BYTES] = sum;
}
