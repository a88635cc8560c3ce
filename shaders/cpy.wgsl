// CPY, CONT, DUP: element i of dst is element i of src. MOVE: as units of UNIT bytes, else from the type SRC to DST, through
// CAST. VEC: four elements at once.
// WORDS: elements of dst are smaller than a word (BYTES) and lie in runs that share no word; one invocation for each word.
#import common/grid
#import common/view
struct Params {
    count: u32, // elements, or words of all runs
    ne0: u32,
    ne1: u32,
    ne2: u32,
    units: u32, // of an element
    run: u32, // elements of a run: a row of dst, or everything
    src_view: View,
    dst_view: View,
}
#params
#if VEC
#define src_VEC 1
#define dst_VEC 1
#endif
#if !WORDS
#define dst_WRITE 1
#endif
#bind src: array<SRC_WORD>
#bind dst: array<DST_WORD>
#if MOVE
#import common/units q_=src_ Q=src
#if !WORDS
#import common/units q_=dst_ Q=dst
#endif
#else
#import common/types/SRC q_=src_ Q=src
#import common/types/DST q_=dst_ Q=dst
#endif
override wg_size: u32;

#if WORDS
// The bits of element i.
fn bits_of(i: u32) -> u32 {
    let row = i / params.ne0;
    let plane = row / params.ne1;
    let source = at(params.src_view, i % params.ne0, row % params.ne1, plane % params.ne2, plane / params.ne2);
#if MOVE
    return src_unit(source);
#else
    return dst_bits(src_get(source));
#endif
}

fn word(i: u32) {
    let offset = params.dst_view.offset;
    let words = ((offset & 3u) + params.run * BYTES + 3u) / 4u;
    let run = i / words;
    let plane = run / params.ne1;
    // With one run, this is the offset.
    let start = at(params.dst_view, 0u, run % params.ne1, plane % params.ne2, plane / params.ne2);
    let end = start + params.run * BYTES;
    let place = (start >> 2u) + i % words;
    var bits = 0u;
    if (place * 4u < start || place * 4u + 4u > end) {
        // What lies before and behind the run stays.
        bits = dst[place];
    }
    for (var k = 0u; k < 4u; k += BYTES) {
        let byte = place * 4u + k;
        if (byte >= start && byte < end) {
            bits = insertBits(bits, bits_of(run * params.run + (byte - start) / BYTES), k * 8u, BYTES * 8u);
        }
    }
    dst[place] = bits;
}
#else
fn element(i: u32) {
    let row = i / params.ne0;
    let i0 = i % params.ne0;
    let i1 = row % params.ne1;
    let plane = row / params.ne1;
    let i2 = plane % params.ne2;
    let i3 = plane / params.ne2;
    let source = at(params.src_view, i0, i1, i2, i3);
    let to = at(params.dst_view, i0, i1, i2, i3);
#if MOVE
    for (var k = 0u; k < params.units * UNIT; k += UNIT) {
        dst_put_unit(to + k, src_unit(source + k));
    }
#elif VEC
    dst_put4(to, src_get4(source));
#else
    dst_put(to, CAST(src_get(source)));
#endif
}
#endif

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = workgroup_index(id, count) * wg_size + lane;
    if (i < params.count) {
#if WORDS
        word(i);
#else
        element(i);
#endif
    }
}
