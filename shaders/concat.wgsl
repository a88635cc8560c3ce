// CONCAT: two sources one behind the other along dimension DIM, in units of UNIT bytes.
#import common/grid
#import common/view
struct Params {
    count: u32, // units of dst
    ne0: u32, // shape of dst, in units
    ne1: u32,
    ne2: u32,
    middle: u32, // where the second source begins
    dst_offset: u32,
    src0_view: View,
    src1_view: View,
}
#params
#import common/units_out
#bind src0: array<UnitValue>
#bind src1: array<UnitValue>
#import common/units q_=src0_ Q=src0
#import common/units q_=src1_ Q=src1
override wg_size: u32;

fn unit_at(i: u32) -> UnitValue {
    let row = i / params.ne0;
    let plane = row / params.ne1;
    var at4 = vec4<u32>(i % params.ne0, row % params.ne1, plane % params.ne2, plane / params.ne2);
    if (at4[DIM] < params.middle) {
        return src0_unit(at(params.src0_view, at4.x, at4.y, at4.z, at4.w));
    }
    at4[DIM] -= params.middle;
    return src1_unit(at(params.src1_view, at4.x, at4.y, at4.z, at4.w));
}

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    store(workgroup_index(id, count) * wg_size + lane);
}
