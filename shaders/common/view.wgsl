// Where a tensor lies inside a binding: byte offset, byte strides. Filled by `Bound::view`.
struct View {
    offset: u32,
    nb0: u32,
    nb1: u32,
    nb2: u32,
    nb3: u32,
}

// Byte of the element (or block) at an index.
fn at(v: View, i0: u32, i1: u32, i2: u32, i3: u32) -> u32 {
    return v.offset + i0 * v.nb0 + i1 * v.nb1 + i2 * v.nb2 + i3 * v.nb3;
}
