// ADD, SUB, MUL, DIV, ADD1: dst = src0 op src1, where src1 repeats into src0 in every dimension. OP: the operator.
// FLAT: all three are contiguous and of one shape, four elements for each invocation. BLOCKS: src0 has blocks, four elements for each
// invocation; with ENCODE dst has them too, one block for each invocation.
#import common/grid
#import common/view
#if BLOCKS
#import common/exact
#endif
struct Params {
    count: u32, // invocations for dst
    ne0: u32,   // for a row of dst
    ne1: u32,
    ne2: u32,
    b_ne0: u32, // shape of src1
    b_ne1: u32,
    b_ne2: u32,
    b_ne3: u32,
    src0_view: View,
    src1_view: View,
    dst_view: View,
}
#params
#define dst_WRITE 1
#if FLAT
#define src0_VEC 1
#define src1_VEC 1
#define dst_VEC 1
#endif
#bind src0: array<SRC0_WORD>
#bind src1: array<SRC1_WORD>
#bind dst: array<DST_WORD>
#import common/types/SRC0 q_=src0_ Q=src0
#import common/types/SRC1 q_=src1_ Q=src1
#import common/types/DST q_=dst_ Q=dst
override wg_size: u32;

#if BLOCKS
// Elements i to i + 3 of the result for two rows.
fn row4(a: u32, b: u32, i: u32) -> vec4<f32> {
    // Rounded before anything is added: what an encoder chooses may hang on the last bit.
    var v = exact4(src0_row4(a, i));
#for n 4
    v[n] = v[n] OP src1_get(b + (i + n) % params.b_ne0 * params.src1_view.nb0);
#endfor
    return v;
}
#endif

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = workgroup_index(id, count) * wg_size + lane;
    if (i >= params.count) {
        return;
    }
#if FLAT
    let a = src0_get4(params.src0_view.offset + i * 4u * SRC0_BYTES);
    let b = src1_get4(params.src1_view.offset + i * 4u * SRC1_BYTES);
    dst_put4(params.dst_view.offset + i * 4u * DST_BYTES, a OP b);
#else
    let i0 = i % params.ne0;
    let row = i / params.ne0;
    let i1 = row % params.ne1;
    let plane = row / params.ne1;
    let i2 = plane % params.ne2;
    let i3 = plane / params.ne2;
#if BLOCKS
    exact_begin(i);
    let a = at(params.src0_view, 0u, i1, i2, i3);
    let b = at(params.src1_view, 0u, i1 % params.b_ne1, i2 % params.b_ne2, i3 % params.b_ne3);
#if ENCODE
    var x: array<vec4<f32>, dst_VECTORS>;
    for (var k = 0u; k < dst_VECTORS; k++) {
        x[k] = row4(a, b, i0 * dst_BLOCK + k * 4u);
    }
    dst_put_block(at(params.dst_view, i0, i1, i2, i3), &x);
#else
    let v = row4(a, b, i0 * 4u);
#for n 4
    dst_put(at(params.dst_view, i0 * 4u + n, i1, i2, i3), v[n]);
#endfor
#endif
#else
    let a = src0_get(at(params.src0_view, i0, i1, i2, i3));
    let b = src1_get(at(params.src1_view, i0 % params.b_ne0, i1 % params.b_ne1, i2 % params.b_ne2, i3 % params.b_ne3));
    dst_put(at(params.dst_view, i0, i1, i2, i3), a OP b);
#endif
#endif
}
