// OUT_PROD: dst[i0, i1] = sum over k of src0[i0, k] * src1[i1, k]. A workgroup computes 64 x 64 elements, each of its 256 invocations 4 x 4.
// BLOCKS: src0 is quantised.
#import common/grid
#import common/view
struct Params {
    k: u32,
    ne0: u32,
    ne1: u32,
    ne2: u32,
    batches: u32,
    ratio2: u32, // batches of dst that share one of src0
    ratio3: u32,
    src0_view: View,
    src1_view: View,
    dst_view: View,
}
#params
#bind src0: array<SRC0_WORD>
#bind src1: array<SRC1_WORD>
#bind dst: array<f32>
#import common/types/SRC0 q_=src0_ Q=src0
#import common/types/SRC1 q_=src1_ Q=src1

const STEP = 16u;
const SIDE = 64u;
var<workgroup> left: array<vec4<f32>, STEP * SIDE / 4u>;
var<workgroup> right: array<f32, STEP * SIDE>;

fn four(row: u32, i: u32) -> vec4<f32> {
#if BLOCKS
    if (i < params.ne0) {
        return src0_row4(row, i);
    }
    return vec4<f32>(0.0);
#else
    var v = vec4<f32>(0.0);
    for (var j = 0u; j < min(4u, params.ne0 - min(i, params.ne0)); j++) {
        v[j] = src0_get(row + (i + j) * SRC0_BYTES);
    }
    return v;
#endif
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = workgroup_index(id, count);
    let across = (params.ne0 + SIDE - 1u) / SIDE;
    let down = (params.ne1 + SIDE - 1u) / SIDE;
    let batch = group / (across * down);
    if (batch >= params.batches) {
        return;
    }
    let base0 = group % across * SIDE;
    let base1 = group / across % down * SIDE;
    let i2 = batch % params.ne2;
    let i3 = batch / params.ne2;
    let plane0 = at(params.src0_view, 0u, 0u, i2 / params.ratio2, i3 / params.ratio3);
    let plane1 = at(params.src1_view, 0u, 0u, i2, i3);
    let own0 = lane % 16u;
    let own1 = lane / 16u;
    // Neighbouring invocations read neighbours in memory, whichever way src1 lies.
    let along = params.src1_view.nb0 <= params.src1_view.nb1;

    var sums = array<vec4<f32>, 4>();
    for (var base = 0u; base < params.k; base += STEP) {
        let k = base + own1;
        var v = vec4<f32>(0.0);
        if (k < params.k) {
            v = four(plane0 + k * params.src0_view.nb1, base0 + own0 * 4u);
        }
        left[own1 * 16u + own0] = v;
        for (var i = lane; i < STEP * SIDE; i += 256u) {
            let to = select(vec2<u32>(i / STEP, i % STEP), vec2<u32>(i % SIDE, i / SIDE), along);
            let i1 = base1 + to.x;
            let depth = base + to.y;
            var w = 0.0;
            if (i1 < params.ne1 && depth < params.k) {
                w = src1_get(plane1 + i1 * params.src1_view.nb0 + depth * params.src1_view.nb1);
            }
            right[to.y * SIDE + to.x] = w;
        }
        workgroupBarrier();
        for (var j = 0u; j < STEP; j++) {
            let a = left[j * 16u + own0];
            let b = j * SIDE + own1 * 4u;
            sums[0] += a * right[b];
            sums[1] += a * right[b + 1u];
            sums[2] += a * right[b + 2u];
            sums[3] += a * right[b + 3u];
        }
        workgroupBarrier();
    }
    let first = base0 + own0 * 4u;
    for (var r = 0u; r < 4u; r++) {
        let i1 = base1 + own1 * 4u + r;
        for (var c = 0u; c < 4u; c++) {
            if (i1 < params.ne1 && first + c < params.ne0) {
                dst[at(params.dst_view, first + c, i1, i2, i3) >> 2u] = sums[r][c];
            }
        }
    }
}
