// NORM, RMS_NORM, L2_NORM: one workgroup for each row. KIND: norm, rms or l2. VEC: rows as vectors of four.
// MUL: the result is multiplied by a row or tensor that repeats into it. ADD: the source is first the sum of two tensors, which
// is stored too.
#import common/grid
#import common/view
struct Params {
    rows: u32,
    ne0: u32, // elements of a row
    ne1: u32,
    ne2: u32,
    eps: f32,
    src_view: View,
    dst_view: View,
    // MUL
    mul_ne0: u32,
    mul_ne1: u32,
    mul_ne2: u32,
    mul_ne3: u32,
    mul_view: View,
    // ADD
    add_view: View,
    sum_view: View,
}
#params
override wg_size: u32;
#import common/reduce
#define dst_WRITE 1
#define sum_WRITE 1
#if VEC
#define src_VEC 1
#define dst_VEC 1
#define add_VEC 1
#define sum_VEC 1
#define Value vec4<f32>
#define STEP 4u
#else
#define Value f32
#define STEP 1u
#endif
#bind src: array<WORD>
#bind dst: array<WORD>
#import common/types/f32 q_=src_ Q=src
#import common/types/f32 q_=dst_ Q=dst
#if ADD
#bind add: array<WORD>
#bind sum: array<WORD>
#import common/types/f32 q_=add_ Q=add
#import common/types/f32 q_=sum_ Q=sum
#endif
#if MUL
#bind mul: array<WORD>
#import common/types/f32 q_=mul_ Q=mul
#endif

#if VEC
fn total(v: vec4<f32>) -> f32 {
    return (v.x + v.y) + (v.z + v.w);
}
#else
fn total(v: f32) -> f32 {
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
    let start = at(params.src_view, 0u, i1, i2, i3);
    let to = at(params.dst_view, 0u, i1, i2, i3);
#if ADD
    let other = at(params.add_view, 0u, i1, i2, i3);
    let both = at(params.sum_view, 0u, i1, i2, i3);
#endif

    var sum = 0.0;
    var squares = 0.0;
    for (var i = lane * STEP; i < params.ne0; i += wg_size * STEP) {
        let at_source = start + i * params.src_view.nb0;
#if VEC
        var v = src_get4(at_source);
#if ADD
        v += add_get4(other + i * 4u);
        sum_put4(both + i * 4u, v);
#endif
#else
        var v = src_get(at_source);
#if ADD
        v += add_get(other + i * params.add_view.nb0);
        sum_put(both + i * 4u, v);
#endif
#endif
        sum += total(v);
        squares += total(v * v);
    }
#if KIND == norm
    let mean = reduce_add(sum) / f32(params.ne0);
    // The variance from differences, as the CPU has it: squares of large values would lose it.
    squares = 0.0;
    for (var i = lane * STEP; i < params.ne0; i += wg_size * STEP) {
#if VEC
        let v = src_get4(start + i * 4u) - mean;
#else
        let v = src_get(start + i * params.src_view.nb0) - mean;
#endif
        squares += total(v * v);
    }
    let scale = 1.0 / sqrt(reduce_add(squares) / f32(params.ne0) + params.eps);
#elif KIND == rms
    let mean = 0.0;
    let scale = 1.0 / sqrt(reduce_add(squares) / f32(params.ne0) + params.eps);
#else
    let mean = 0.0;
    let scale = 1.0 / max(sqrt(reduce_add(squares)), params.eps);
#endif

#if MUL
    let factor = at(params.mul_view, 0u, i1 % params.mul_ne1, i2 % params.mul_ne2, i3 % params.mul_ne3);
#endif
    for (var i = lane * STEP; i < params.ne0; i += wg_size * STEP) {
#if ADD
        // Each invocation reads back only what it stored itself.
#if VEC
        var v = sum_get4(both + i * 4u);
#else
        var v = sum_get(both + i * 4u);
#endif
#elif VEC
        var v = src_get4(start + i * 4u);
#else
        var v = src_get(start + i * params.src_view.nb0);
#endif
        v = (v - mean) * scale;
#if MUL
#if VEC
        v *= mul_get4(factor + i * 4u);
#else
        v *= mul_get(factor + (i % params.mul_ne0) * params.mul_view.nb0);
#endif
#endif
#if VEC
        dst_put4(to + i * 4u, v);
#else
        dst_put(to + i * params.dst_view.nb0, v);
#endif
    }
}
