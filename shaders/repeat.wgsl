// REPEAT: src again and again in every dimension, in units of UNIT bytes.
#import common/grid
#import common/view
struct Params {
    count: u32, // units of dst
    ne0: u32, // shape of dst, in units
    ne1: u32,
    ne2: u32,
    src_ne0: u32, // shape of src, in units
    src_ne1: u32,
    src_ne2: u32,
    src_ne3: u32,
    dst_offset: u32,
    src_view: View,
}
#params
#import common/units_out
#bind src: array<UnitValue>
#import common/units q_=src_ Q=src
override wg_size: u32;

fn unit_at(i: u32) -> UnitValue {
    let row = i / params.ne0;
    let plane = row / params.ne1;
    return src_unit(at(
        params.src_view,
        i % params.ne0 % params.src_ne0,
        row % params.ne1 % params.src_ne1,
        plane % params.ne2 % params.src_ne2,
        plane / params.ne2 % params.src_ne3,
    ));
}

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    store(workgroup_index(id, count) * wg_size + lane);
}
