// Ops whose every element is an element of src from another place, or 0; elements are units of UNIT bytes. KIND:
// pad, circular (also ROLL), reflect, win_part, win_unpart, rel_pos.
#import common/grid
#import common/view
struct Params {
    count: u32, // elements of dst
    ne0: u32, // shape of dst
    ne1: u32,
    ne2: u32,
    dst_offset: u32,
    src_view: View,
    src_ne0: i32,
    src_ne1: i32,
    src_ne2: i32,
    src_ne3: i32,
    // pad, reflect: elements before src; circular: the same, less than src has. win_part, win_unpart: size of a window, windows side by side.
    p0: i32,
    p1: i32,
    p2: i32,
    p3: i32,
}
#params
#import common/units_out
#bind src: array<UnitValue>
#import common/units q_=src_ Q=src
override wg_size: u32;

fn unit_at(i: u32) -> UnitValue {
    let row = i / params.ne0;
    let plane = row / params.ne1;
    let ne = vec4<i32>(params.src_ne0, params.src_ne1, params.src_ne2, params.src_ne3);
    let own = vec4<i32>(vec4<u32>(i % params.ne0, row % params.ne1, plane % params.ne2, plane / params.ne2));
#if KIND == pad
    let origin = own - vec4<i32>(params.p0, params.p1, params.p2, params.p3);
#elif KIND == circular
    let shifted = vec4<u32>(own + ne - vec4<i32>(params.p0, params.p1, params.p2, params.p3));
    let origin = vec4<i32>(shifted % max(vec4<u32>(ne), vec4<u32>(1u)));
#elif KIND == reflect
    let before = abs(own.x - params.p0);
    let origin = vec4<i32>(select(before, 2 * (ne.x - 1) - before, before >= ne.x), own.yzw);
#elif KIND == win_part
    let origin = vec4<i32>(own.x, own.w % params.p1 * params.p0 + own.y, own.w / params.p1 * params.p0 + own.z, 0);
#elif KIND == win_unpart
    let origin = vec4<i32>(own.x, own.y % params.p0, own.z % params.p0, own.z / params.p0 * params.p1 + own.y / params.p0);
#else
    let origin = vec4<i32>(own.x, i32(params.ne1) - 1 - own.y + own.z, 0, 0);
#endif
    if (any(origin < vec4<i32>()) || any(origin >= ne)) {
        return UnitValue();
    }
    let place = vec4<u32>(origin);
    return src_unit(at(params.src_view, place.x, place.y, place.z, place.w));
}

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    store(workgroup_index(id, count) * wg_size + lane);
}
