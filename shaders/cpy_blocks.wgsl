// CPY between a type with blocks and plain floats over one shape. ENCODE: one invocation for each block of dst; else src is decoded, four
// elements for each invocation. ROWS: the floats of a row follow each other.
#import common/grid
#import common/view
struct Params {
    count: u32, // blocks, or groups of four elements
    ne0: u32,   // of a row
    ne1: u32,
    ne2: u32,
    src_view: View,
    dst_view: View,
}
#params
#define dst_WRITE 1
#bind src: array<SRC_WORD>
#bind dst: array<DST_WORD>
#import common/types/SRC q_=src_ Q=src
#import common/types/DST q_=dst_ Q=dst
override wg_size: u32;

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = workgroup_index(id, count) * wg_size + lane;
    if (i >= params.count) {
        return;
    }
    let i0 = i % params.ne0;
    let row = i / params.ne0;
    let i1 = row % params.ne1;
    let plane = row / params.ne1;
    let i2 = plane % params.ne2;
    let i3 = plane / params.ne2;
#if ENCODE
    let start = at(params.src_view, i0 * dst_BLOCK, i1, i2, i3);
    var x: array<vec4<f32>, dst_VECTORS>;
    for (var k = 0u; k < dst_VECTORS; k++) {
#if ROWS
        x[k] = src_row4(start, k * 4u);
#else
        let nb = params.src_view.nb0;
        let e = start + k * 4u * nb;
        x[k] = vec4<f32>(src_get(e), src_get(e + nb), src_get(e + 2u * nb), src_get(e + 3u * nb));
#endif
    }
    dst_put_block(at(params.dst_view, i0, i1, i2, i3), &x);
#else
    let e = i0 * 4u;
    let v = src_row4(at(params.src_view, e / BLOCK, i1, i2, i3), e % BLOCK);
    let to = at(params.dst_view, e, i1, i2, i3);
#if ROWS
    dst_put4(to, v);
#else
    let nb = params.dst_view.nb0;
    dst_put(to, v.x);
    dst_put(to + nb, v.y);
    dst_put(to + 2u * nb, v.z);
    dst_put(to + 3u * nb, v.w);
#endif
#endif
}
