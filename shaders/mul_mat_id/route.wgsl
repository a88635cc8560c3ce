// MUL_MAT_ID for many tokens, first step: pairs of token and slot in the order of their experts, and a table of tiles of at most `tile`
// pairs of one expert. One workgroup for each expert from `first` on; each finds its place by itself.
#import common/grid
struct Params {
    slots: u32,   // of a token
    pairs: u32,
    experts: u32,
    first: u32,
    count: u32,   // experts from there on
    ids_offset: u32,
    ids_nb0: u32,
    ids_nb1: u32,
    tile: u32,
    tiles: u32,   // pairs / tile + count: as many as there can be
    list_offset: u32,
    table_offset: u32,
}
#params
override wg_size: u32;
#bind ids: array<i32>
#bind list: array<u32>
// Of each tile: expert (less `first`), first place in the list, pairs. Some have no pairs.
#bind table: array<u32>
#import common/pair_expert

var<workgroup> sums: array<vec2<u32>, wg_size>;

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let number = workgroup_index(id, groups);
    if (number >= params.count) {
        return;
    }
    let expert = params.first + number;
    let each = (params.pairs + wg_size - 1u) / wg_size;
    let begin = min(lane * each, params.pairs);
    let end = min(begin + each, params.pairs);
    // Pairs of earlier experts, and of this one.
    var own = vec2<u32>();
    for (var pair = begin; pair < end; pair++) {
        let e = expert_of(pair);
        own += vec2<u32>(u32(e >= params.first && e < expert), u32(e == expert));
    }
    // Sums up to and with each invocation's own.
    var sum = own;
    sums[lane] = sum;
    workgroupBarrier();
    for (var step = 1u; step < wg_size; step *= 2u) {
        if (lane >= step) {
            sum += sums[lane - step];
        }
        workgroupBarrier();
        sums[lane] = sum;
        workgroupBarrier();
    }
    let start = sums[wg_size - 1u].x;
    let length = sums[wg_size - 1u].y;

    var to = params.list_offset / 4u + start + sum.y - own.y;
    for (var pair = begin; pair < end; pair++) {
        if (expert_of(pair) == expert) {
            list[to] = pair;
            to++;
        }
    }
    // Tiles of earlier experts end before this one: each begins at most one more than its pairs fill.
    let first_tile = start / params.tile + number;
    let end_tile = select((start + length) / params.tile + number + 1u, params.tiles, number + 1u == params.count);
    for (var t = first_tile + lane; t < end_tile; t += wg_size) {
        let done = (t - first_tile) * params.tile;
        let at = params.table_offset / 4u + t * 3u;
        table[at] = number;
        table[at + 1u] = start + done;
        table[at + 2u] = min(length - min(done, length), params.tile);
    }
}
