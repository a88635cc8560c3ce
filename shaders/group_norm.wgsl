// GROUP_NORM: (x - mean) / sqrt(variance + eps) over groups of channels (dimension 2); one workgroup for each piece of a group.
// STAGE: one (the group is one piece), moments (mean and squared differences of each piece), apply (with the moments of all pieces).
// FLAT: a group's elements follow each other in src and dst. VEC: FLAT, as vectors of four.
#import common/grid
#import common/view
struct Params {
    pieces: u32,  // of each group
    size: u32,    // elements of a piece
    groups: u32,  // of a batch
    batches: u32,
    ne0: u32,
    ne1: u32,
    ne2: u32,
    channels: u32, // of a group; the last groups may have fewer, or none
    eps: f32,
    src_view: View,
    dst_view: View,
    moments_offset: u32,
}
#params
override wg_size: u32;
#import common/reduce
#define dst_WRITE 1
#if VEC
#define src_VEC 1
#define dst_VEC 1
#define Value vec4<f32>
#define STEP 4u
#else
#define Value f32
#define STEP 1u
#endif
#bind src: array<WORD>
#import common/types/f32 q_=src_ Q=src
#if STAGE != moments
#bind dst: array<WORD>
#import common/types/f32 q_=dst_ Q=dst
#endif
#if STAGE != one
#bind moments: array<vec2<f32>>
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

// Byte of element i of a group, whose first element lies at `start`.
fn place(v: View, start: u32, i: u32) -> u32 {
#if FLAT
    return start + i * 4u;
#else
    let row = i / params.ne0;
    return start + i % params.ne0 * v.nb0 + row % params.ne1 * v.nb1 + row / params.ne1 * v.nb2;
#endif
}

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32, REDUCE_BUILTINS) {
    REDUCE_START
    let index = workgroup_index(id, count);
    let whole = index / params.pieces; // number of the group among those of all batches
    let group = whole % params.groups;
    let batch = whole / params.groups;
    if (batch >= params.batches) {
        return;
    }
    let first_channel = min(group * params.channels, params.ne2);
    let elements = (min(first_channel + params.channels, params.ne2) - first_channel) * params.ne0 * params.ne1;
    let start = at(params.src_view, 0u, 0u, first_channel, batch);
    let first = min(index % params.pieces * params.size, elements);
    let end = min(first + params.size, elements);

#if STAGE == apply
    // Moments of the group from those of its pieces.
    let own = (params.moments_offset >> 3u) + whole * params.pieces;
    var sum = 0.0;
    for (var p = lane; p < params.pieces; p += wg_size) {
        sum += moments[own + p].x * f32(min(params.size, elements - min(p * params.size, elements)));
    }
    let mean = reduce_add(sum) / f32(max(elements, 1u));
    var squares = 0.0;
    for (var p = lane; p < params.pieces; p += wg_size) {
        let away = moments[own + p].x - mean;
        squares += moments[own + p].y + away * away * f32(min(params.size, elements - min(p * params.size, elements)));
    }
#else
    var sum = 0.0;
    for (var i = first + lane * STEP; i < end; i += wg_size * STEP) {
#if VEC
        sum += total(src_get4(place(params.src_view, start, i)));
#else
        sum += src_get(place(params.src_view, start, i));
#endif
    }
    let mean = reduce_add(sum) / f32(max(end - first, 1u));
    var squares = 0.0;
    for (var i = first + lane * STEP; i < end; i += wg_size * STEP) {
#if VEC
        let v = src_get4(place(params.src_view, start, i)) - mean;
#else
        let v = src_get(place(params.src_view, start, i)) - mean;
#endif
        squares += total(v * v);
    }
#endif
    let all = reduce_add(squares);
#if STAGE == moments
    if (lane == 0u) {
        moments[(params.moments_offset >> 3u) + index] = vec2<f32>(mean, all);
    }
#else
    let scale = 1.0 / sqrt(all / f32(max(elements, 1u)) + params.eps);
    let to = at(params.dst_view, 0u, 0u, first_channel, batch);
    for (var i = first + lane * STEP; i < end; i += wg_size * STEP) {
#if VEC
        dst_put4(place(params.dst_view, to, i), (src_get4(place(params.src_view, start, i)) - mean) * scale);
#else
        dst_put(place(params.dst_view, to, i), (src_get(place(params.src_view, start, i)) - mean) * scale);
#endif
    }
#endif
}
