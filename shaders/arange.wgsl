// Numbers made from an index. ARANGE: dst[i] = start + step * i. TIMESTEP_EMBEDDING (TIMESTEPS): cosines, then sines, of each
// timestep at `half` frequencies from 1 down to almost 1 over the period.
#import common/grid
#import common/math
struct Params {
    count: u32, // elements of dst
    ne0: u32,
    first: u32, // index of the first element, of ARANGE
    half: u32,
    src_offset: u32,
    dst_offset: u32,
    dst_nb1: u32,
    start: f32,
    step: f32, // of ARANGE; minus the logarithm of the period
}
#params
#define dst_WRITE 1
#bind dst: array<f32>
#import common/types/f32 q_=dst_ Q=dst
#if TIMESTEPS
#bind src: array<f32>
#import common/types/f32 q_=src_ Q=src
#endif
override wg_size: u32;

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = workgroup_index(id, count) * wg_size + lane;
    if (i >= params.count) {
        return;
    }
    let i0 = i % params.ne0;
    let i1 = i / params.ne0;
#if TIMESTEPS
    var v = 0.0;
    if (i0 < 2u * params.half) {
        let j = i0 % params.half;
        let angle = src_get(params.src_offset + i1 * 4u) * exp(params.step * f32(j) / f32(params.half));
        if (i0 < params.half) {
            v = cos_(angle);
        } else {
            v = sin_(angle);
        }
    }
#else
    let v = params.start + params.step * f32(params.first + i0);
#endif
    dst_put(params.dst_offset + i1 * params.dst_nb1 + i0 * 4u, v);
}
