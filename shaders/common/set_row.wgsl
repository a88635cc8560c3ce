// SET_ROWS: one piece of one row of src into the row of dst that an index names. DST_QUANT: a piece is a block of dst; ROW4:
// four elements; else one.
// INDEX64: indices of 64 bits. Rows outside of the window `params.first`, `params.rows` are left to other dispatches.
#define dst_WRITE 1
#bind src: array<SRC_WORD>
#bind index: array<INDEX_WORD>
#bind dst: array<DST_WORD>
#import common/types/SRC q_=src_ Q=src
#import common/types/DST q_=dst_ Q=dst

fn row_at(byte: u32) -> u32 {
#if INDEX64
    let i = index[byte >> 3u];
    return select(i.x, 0xffffffffu, i.y != 0u) - params.first;
#else
    return u32(index[byte >> 2u]) - params.first;
#endif
}

fn set_piece(i: u32, start: u32, to: u32) {
#if DST_QUANT
    var x: array<vec4<f32>, dst_VECTORS>;
    for (var k = 0u; k < dst_VECTORS; k++) {
        x[k] = src_row4(start, i * dst_BLOCK + k * 4u);
    }
    dst_put_block(to + i * DST_BYTES, &x);
#elif ROW4
    dst_put4(to + i * 4u * DST_BYTES, src_row4(start, i * 4u));
#elif DST == i32
    dst_put(to + i * 4u, i32(src_get(start + i * SRC_BYTES)));
#else
    dst_put(to + i * DST_BYTES, src_get(start + i * SRC_BYTES));
#endif
}
