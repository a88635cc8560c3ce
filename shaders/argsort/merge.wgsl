// ARGSORT and TOP_K, further steps: merges each two neighbouring sorted runs of a row and keeps the first `keep` of both.
// Each invocation places one pair. LAST: the result is one run, of which the indices go to dst.
#import common/grid
struct Params {
    rows: u32,
    count: u32,     // pairs of a row
    run: u32,       // pairs of a run; the last may be shorter
    keep: u32,
    kept: u32,      // pairs of a row in the result
    ne1: u32,
    ne2: u32,
    src_offset: u32,
    dst_offset: u32,
    dst_nb1: u32,
    dst_nb2: u32,
    dst_nb3: u32,
    row: u32,       // the first one
    order: u32,     // see sort.wgsl
}
#params
override wg_size: u32;
#import common/pairs
#bind src: array<vec2<u32>>
#if LAST
#bind dst: array<i32>
#else
#bind dst: array<vec2<u32>>
#endif

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = workgroup_index(id, groups) * wg_size + lane;
    let local_row = index / params.count;
    if (local_row >= params.rows) {
        return;
    }
    let i = index % params.count;
    let base = (params.src_offset >> 3u) + local_row * params.count;
    let own = src[base + i];
    let run = i / params.run;
    // How many of the other run come before.
    let other = (run ^ 1u) * params.run;
    var low = 0u;
    var high = select(0u, min(params.run, params.count - other), other < params.count);
    while (low < high) {
        let middle = (low + high) / 2u;
        if (before(src[base + other + middle], own)) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    let place = i % params.run + low;
    if (place >= params.keep) {
        return;
    }
#if LAST
    let row = local_row + params.row;
    let i1 = row % params.ne1;
    let i2 = row / params.ne1 % params.ne2;
    let i3 = row / (params.ne1 * params.ne2);
    dst[(params.dst_offset + i1 * params.dst_nb1 + i2 * params.dst_nb2 + i3 * params.dst_nb3) / 4u + place_of(place, params.order)] = i32(own.y);
#else
    dst[(params.dst_offset >> 3u) + local_row * params.kept + run / 2u * min(2u * params.run, params.keep) + place] = own;
#endif
}
