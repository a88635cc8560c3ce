// GLU: dst = KIND(src0) * src1 on rows of any distance; with one source, its rows' halves are the two. VEC: four elements at once.
// KIND: reglu, gelu, silu, oai, clamped, gelu_erf, gelu_quick; silu_back (SILU_BACK: src0 is the gradient).
#import common/grid
#import common/math
struct Params {
    count: u32, // elements of dst, or groups of four
    ne0: u32, // of a row
    src0_offset: u32,
    src0_nb1: u32,
    src1_offset: u32,
    src1_nb1: u32,
    dst_offset: u32,
    dst_nb1: u32,
    // oai and clamped
    alpha: f32,
    limit: f32,
}
#params
#define dst_WRITE 1
#if VEC
#define src0_VEC 1
#define src1_VEC 1
#define dst_VEC 1
#endif
#bind src0: array<WORD>
#bind src1: array<WORD>
#bind dst: array<DST_WORD>
#import common/types/TYPE q_=src0_ Q=src0
#import common/types/TYPE q_=src1_ Q=src1
#import common/types/TYPE q_=dst_ Q=dst
override wg_size: u32;

fn gated(x: f32, y: f32) -> f32 {
#if KIND == reglu
    return select(0.0, x * y, x > 0.0);
#elif KIND == oai
    let gate = min(x, params.limit);
    return gate / (1.0 + exp(-params.alpha * gate)) * (clamp(y, -params.limit, params.limit) + 1.0);
#elif KIND == clamped
    return silu(min(x, params.limit)) * clamp(y, -params.limit, params.limit);
#elif KIND == silu_back
    let s = sigmoid(y);
    return x * s * (1.0 + y * (1.0 - s));
#else
    return KIND(x) * y;
#endif
}

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = workgroup_index(id, count) * wg_size + lane;
    if (i >= params.count) {
        return;
    }
    let row = i / params.ne0;
    let within = i % params.ne0 * STEP;
    let at0 = params.src0_offset + row * params.src0_nb1 + within;
    let at1 = params.src1_offset + row * params.src1_nb1 + within;
    let to = params.dst_offset + row * params.dst_nb1 + within;
#if VEC
    let x = src0_get4(at0);
    let y = src1_get4(at1);
    dst_put4(to, vec4<f32>(gated(x.x, y.x), gated(x.y, y.y), gated(x.z, y.z), gated(x.w, y.w)));
#else
    dst_put(to, gated(src0_get(at0), src1_get(at1)));
#endif
}
