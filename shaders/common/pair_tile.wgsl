// The pairs of token and slot of a tile of the table that mul_mat_id/route.wgsl made. The importer defines `column_of(pair) -> u32`.

// Pairs of the tile.
var<private> length: u32;
// Of each: what column_of says, its first element in dst. Those past the last are the last.
var<workgroup> places: array<vec2<u32>, TN>;

fn take_pairs(first: u32, pairs: u32, lane: u32) {
    length = pairs;
    for (var c = lane; c < TN; c += WG) {
        let pair = list[params.list_offset / 4u + first + min(c, pairs - 1u)];
        places[c] = vec2<u32>(column_of(pair), params.dst_offset / 4u + pair * (params.dst_nb1 / 4u));
    }
    workgroupBarrier();
}
