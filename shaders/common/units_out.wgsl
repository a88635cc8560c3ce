// Stores a contiguous dst in units of UNIT bytes. The shader has `unit_at(i)`, which gives unit i, and in its parameters `count`
// (units) and `dst_offset` (bytes). One invocation for each unit, or for each word where units are smaller.
#if UNIT == 16
#define UnitValue vec4<u32>
#else
#define UnitValue u32
#endif
#bind dst: array<UnitValue>

fn store(i: u32) {
#if UNIT >= 4
    if (i < params.count) {
        dst[params.dst_offset / UNIT + i] = unit_at(i);
    }
#else
    let start = params.dst_offset;
    let end = start + params.count * UNIT;
    let place = (start >> 2u) + i;
    if (place * 4u >= end) {
        return;
    }
    var bits = 0u;
    if (place * 4u < start || place * 4u + 4u > end) {
        // What lies before and behind dst stays.
        bits = dst[place];
    }
    for (var k = 0u; k < 4u; k += UNIT) {
        let byte = place * 4u + k;
        if (byte >= start && byte < end) {
            bits = insertBits(bits, unit_at((byte - start) / UNIT), k * 8u, UNIT * 8u);
        }
    }
    dst[place] = bits;
#endif
}
