// DSV4_HC_PRE: the streams of each token, weighted and summed. GATED: the weights are the sigmoids of a number for each element, else
// there is one for each stream. VEC: four elements for each invocation.
#import common/grid
struct Params {
    count: u32, // elements of dst, or groups of four
    ne0: u32,   // of a row
    streams: u32,
    scale: f32,
    x_offset: u32,
    x_nb0: u32,
    x_nb1: u32,
    x_nb2: u32,
    weights_offset: u32,
    weights_nb0: u32,
    weights_nb1: u32,
    weights_nb2: u32,
    dst_offset: u32,
    dst_nb0: u32,
    dst_nb1: u32,
}
#params
#if VEC
#define Value vec4<f32>
#define BYTES 16u
#else
#define Value f32
#define BYTES 4u
#endif
#if GATED
#define Weight Value
#define WEIGHT_BYTES BYTES
#else
#define Weight f32
#define WEIGHT_BYTES 4u
#endif
#bind x: array<Value>
#bind weights: array<Weight>
#bind dst: array<Value>
override wg_size: u32;

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = workgroup_index(id, count) * wg_size + lane;
    if (i >= params.count) {
        return;
    }
    // In VEC, nb0 is that of groups.
    let i0 = i % params.ne0;
    let token = i / params.ne0;
    var source = params.x_offset + i0 * params.x_nb0 + token * params.x_nb2;
#if GATED
    var gate = params.weights_offset + i0 * params.weights_nb0 + token * params.weights_nb2;
#else
    var gate = params.weights_offset + token * params.weights_nb1;
#endif
    var sum = Value();
    for (var stream = 0u; stream < params.streams; stream++) {
        let w = weights[gate / WEIGHT_BYTES];
#if GATED
        sum += x[source / BYTES] / (1.0 + exp(-w));
        gate += params.weights_nb1;
#else
        sum += x[source / BYTES] * w;
        gate += params.weights_nb0;
#endif
        source += params.x_nb1;
    }
    dst[(params.dst_offset + i0 * params.dst_nb0 + token * params.dst_nb1) / BYTES] = params.scale * sum;
}
