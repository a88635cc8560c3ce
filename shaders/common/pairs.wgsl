// Pairs of a key and an index, as ARGSORT sorts them.

// A number that grows with `v`, or falls. NaN of either sign lies at the ends; both zeros are one.
fn key(v: f32, descending: bool) -> u32 {
    let bits = select(bitcast<u32>(v), 0u, v == 0.0);
    let up = select(bits | 0x80000000u, ~bits, (bits >> 31u) != 0u);
    return select(up, ~up, descending);
}

fn before(a: vec2<u32>, b: vec2<u32>) -> bool {
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

// Where the i-th of the sorted elements goes. TOP_K promises no order, and ggml's CPU backend changes the first two to say so.
fn place_of(i: u32, order: u32) -> u32 {
    return select(i, i ^ 1u, (order & 2u) != 0u && i < 2u);
}
