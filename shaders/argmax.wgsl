// ARGMAX: the last index of a row's greatest value; one workgroup for each row. VEC: rows as vectors of four.
#import common/grid
#import common/view
struct Params {
    rows: u32,
    ne0: u32,
    src_offset: u32,
    src_nb0: u32,
    src_nb1: u32,
    dst_offset: u32,
    dst_nb0: u32,
}
#params
override wg_size: u32;
#import common/reduce
#if VEC
#define src_VEC 1
#endif
#bind src: array<SRC_WORD>
#bind dst: array<i32>
#import common/types/f32 q_=src_ Q=src

// Index plus one of the last hit; 0 for none.
var<workgroup> last: atomic<u32>;
var<workgroup> last_found: u32;

// The greatest of the lanes' numbers.
fn last_of(lane: u32, own: u32) -> u32 {
    if (lane == 0u) {
        atomicStore(&last, 0u);
    }
    workgroupBarrier();
    atomicMax(&last, own);
    workgroupBarrier();
    if (lane == 0u) {
        last_found = atomicLoad(&last);
    }
    return workgroupUniformLoad(&last_found);
}

fn is_nan(v: f32) -> bool {
    return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u;
}

var<private> start: u32;
// This lane's greatest value, its last place plus one, and those of its last NaN and its last number.
var<private> top: f32;
var<private> place: u32;
var<private> nan: u32;
var<private> number: u32;

fn consider(v: f32, i: u32) {
    if (is_nan(v)) {
        nan = i + 1u;
        return;
    }
    number = i + 1u;
    if (place == 0u || v >= top) {
        top = v;
        place = i + 1u;
    }
}

fn value(i: u32) -> f32 {
#if VEC
    return src_get4(start + (i & ~3u) * 4u)[i & 3u];
#else
    return src_get(start + i * params.src_nb0);
#endif
}

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32, REDUCE_BUILTINS) {
    REDUCE_START
    let row = workgroup_index(id, count);
    if (row >= params.rows) {
        return;
    }
    start = params.src_offset + row * params.src_nb1;
#if VEC
    for (var i = lane * 4u; i < params.ne0; i += wg_size * 4u) {
        let four = src_get4(start + i * 4u);
        consider(four.x, i);
        consider(four.y, i + 1u);
        consider(four.z, i + 2u);
        consider(four.w, i + 3u);
    }
#else
    for (var i = lane; i < params.ne0; i += wg_size) {
        consider(value(i), i);
    }
#endif
    // A NaN makes the CPU forget what came before it: what counts is the run that ends with the last number.
    if (last_of(lane, nan) != 0u) {
        let end = last_of(lane, number);
        nan = 0u;
        for (var i = lane; i < end; i += wg_size) {
            if (is_nan(value(i))) {
                nan = i + 1u;
            }
        }
        let first = last_of(lane, nan);
        place = 0u;
        for (var i = first + lane; i < end; i += wg_size) {
            consider(value(i), i);
        }
    }
    // Lanes without a number offer the least one. If that is the greatest, all numbers are -inf and the last one wins.
    let greatest = reduce_max(select(-3.4028234663852886e38, top, place != 0u));
    let found = last_of(lane, select(0u, place, top >= greatest));
    let least = last_of(lane, place);
    if (lane == 0u) {
        dst[(params.dst_offset + row * params.dst_nb0) >> 2u] = i32(max(select(least, found, found != 0u), 1u) - 1u);
    }
}
