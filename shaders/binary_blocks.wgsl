// ADD and ADD1 to a type with blocks: dst = src0 + src1, where src1 repeats into src0 in every dimension. ENCODE: one invocation for each
// block of dst; else dst is of floats, four for each invocation.
#import common/grid
#import common/view
#import common/exact
struct Params {
    count: u32, // blocks of dst, or groups of four
    ne0: u32,   // of a row
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
#bind src0: array<SRC0_WORD>
#bind src1: array<SRC1_WORD>
#bind dst: array<DST_WORD>
#import common/types/SRC0 q_=src0_ Q=src0
#import common/types/SRC1 q_=src1_ Q=src1
#import common/types/DST q_=dst_ Q=dst
override wg_size: u32;

// Elements i to i + 3 of the sum of two rows.
fn sum4(a: u32, b: u32, i: u32) -> vec4<f32> {
    // Rounded before anything is added: what an encoder chooses may hang on the last bit.
    var v = exact4(src0_row4(a, i));
#for n 4
    v[n] += src1_get(b + (i + n) % params.b_ne0 * params.src1_view.nb0);
#endfor
    return v;
}

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = workgroup_index(id, count) * wg_size + lane;
    if (i >= params.count) {
        return;
    }
    exact_begin(i);
    let i0 = i % params.ne0;
    let row = i / params.ne0;
    let i1 = row % params.ne1;
    let plane = row / params.ne1;
    let i2 = plane % params.ne2;
    let i3 = plane / params.ne2;
    let a = at(params.src0_view, 0u, i1, i2, i3);
    let b = at(params.src1_view, 0u, i1 % params.b_ne1, i2 % params.b_ne2, i3 % params.b_ne3);
#if ENCODE
    var x: array<vec4<f32>, dst_VECTORS>;
    for (var k = 0u; k < dst_VECTORS; k++) {
        x[k] = sum4(a, b, i0 * dst_BLOCK + k * 4u);
    }
    dst_put_block(at(params.dst_view, i0, i1, i2, i3), &x);
#else
    let v = sum4(a, b, i0 * 4u);
#for n 4
    dst_put(at(params.dst_view, i0 * 4u + n, i1, i2, i3), v[n]);
#endfor
#endif
}
