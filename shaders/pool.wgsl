// POOL_1D, POOL_2D: the greatest or mean element of each window; one window for each invocation. KIND: max or mean.
#import common/grid
#import common/view
struct Params {
    count: u32,
    ne0: u32,     // of dst
    ne1: u32,
    ne2: u32,
    width: u32,
    height: u32,
    kernel0: u32,
    kernel1: u32,
    stride0: i32,
    stride1: i32,
    pad0: i32,
    pad1: i32,
    divisor: f32, // of the mean; 0: as many elements as there are
    src_view: View,
    dst_view: View,
}
#params
override wg_size: u32;
#bind src: array<SRC_WORD>
#bind dst: array<f32>
#import common/types/SRC q_=src_ Q=src

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = workgroup_index(id, count) * wg_size + lane;
    if (index >= params.count) {
        return;
    }
    let i0 = index % params.ne0;
    let row = index / params.ne0;
    let i1 = row % params.ne1;
    let plane = row / params.ne1;
    let i2 = plane % params.ne2;
    let i3 = plane / params.ne2;
    let left = i32(i0) * params.stride0 - params.pad0;
    let top = i32(i1) * params.stride1 - params.pad1;
    let start = at(params.src_view, 0u, 0u, i2, i3);
#if KIND == max
    var all = -3.4028234663852886e38;
#else
    var all = 0.0;
#endif
    var seen = 0u;
    for (var k1 = 0u; k1 < params.kernel1; k1++) {
        let y = u32(top + i32(k1));
        if (y >= params.height) {
            continue;
        }
        for (var k0 = 0u; k0 < params.kernel0; k0++) {
            let x = u32(left + i32(k0));
            if (x < params.width) {
                let v = src_get(start + x * params.src_view.nb0 + y * params.src_view.nb1);
#if KIND == max
                // In this form a NaN gives way to the next element, as on the CPU.
                all = select(v, all, v < all);
#else
                all += v;
#endif
                seen++;
            }
        }
    }
#if KIND == mean
    all /= select(params.divisor, f32(max(seen, 1u)), params.divisor == 0.0);
#endif
    dst[at(params.dst_view, i0, i1, i2, i3) >> 2u] = all;
}
