// ARGSORT and TOP_K, first step: sorts tiles of TILE elements of each row in workgroup memory and keeps the first `keep` of each tile.
// An element is a pair: a key that grows in the order wanted, and its index. Equal keys keep their order.
// PAIRS: the input is pairs that an earlier step left. LAST: one tile holds a row, and its indices are the result.
#import common/grid
struct Params {
    rows: u32,
    count: u32,  // elements of a row
    tiles: u32,  // of a row
    keep: u32,
    order: u32,  // 1: descending, 2: the first two change places
    ne1: u32,
    ne2: u32,
    src_offset: u32,
    src_nb1: u32,
    src_nb2: u32,
    src_nb3: u32,
    dst_offset: u32,
    dst_nb1: u32,
    dst_nb2: u32,
    dst_nb3: u32,
    row: u32,    // the first one
}
#params
override tile: u32;
override wg_size: u32;
#import common/pairs
#if PAIRS
#bind src: array<vec2<u32>>
#else
#bind src: array<f32>
#endif
#if LAST
#bind dst: array<i32>
#else
#bind dst: array<vec2<u32>>
#endif

var<workgroup> pairs: array<vec2<u32>, tile>;

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = workgroup_index(id, groups);
    let local_row = group / params.tiles;
    if (local_row >= params.rows) {
        return;
    }
    let first = (group % params.tiles) * tile;
    let count = min(tile, params.count - first);
    let row = local_row + params.row;
    let i1 = row % params.ne1;
    let i2 = row / params.ne1 % params.ne2;
    let i3 = row / (params.ne1 * params.ne2);

#if PAIRS
    let start = (params.src_offset >> 3u) + local_row * params.count + first;
#else
    let start = (params.src_offset + i1 * params.src_nb1 + i2 * params.src_nb2 + i3 * params.src_nb3) / 4u + first;
#endif
    for (var i = lane; i < tile; i += wg_size) {
        // Behind every element.
        var pair = vec2<u32>(0xffffffffu);
        if (i < count) {
#if PAIRS
            pair = src[start + i];
#else
            pair = vec2<u32>(key(src[start + i], (params.order & 1u) != 0u), first + i);
#endif
        }
        pairs[i] = pair;
    }
    workgroupBarrier();
    // Bitonic: runs of `size` in turning directions are merged by comparing at ever shorter distances.
    for (var size = 2u; size <= tile; size *= 2u) {
        for (var distance = size / 2u; distance > 0u; distance /= 2u) {
            for (var i = lane; i < tile / 2u; i += wg_size) {
                let a = 2u * i - (i & (distance - 1u));
                let b = a + distance;
                let x = pairs[a];
                let y = pairs[b];
                if (before(y, x) == ((a & size) == 0u)) {
                    pairs[a] = y;
                    pairs[b] = x;
                }
            }
            workgroupBarrier();
        }
    }
#if LAST
    let to = (params.dst_offset + i1 * params.dst_nb1 + i2 * params.dst_nb2 + i3 * params.dst_nb3) / 4u;
    for (var i = lane; i < min(count, params.keep); i += wg_size) {
        dst[to + place_of(i, params.order)] = i32(pairs[i].y);
    }
#else
    let most = min(tile, params.keep);
    let kept = (params.tiles - 1u) * most + min(params.count - (params.tiles - 1u) * tile, most); // of a row
    let to = (params.dst_offset >> 3u) + local_row * kept + (group % params.tiles) * most;
    for (var i = lane; i < min(count, params.keep); i += wg_size) {
        dst[to + i] = pairs[i];
    }
#endif
}
