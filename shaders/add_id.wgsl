// ADD_ID: each row of src0, plus the row of src1 that its id names. VEC: four elements at once.
#import common/grid
struct Params {
    count: u32, // elements of dst, or groups of four
    ne0: u32, // of a row, in elements or groups of four
    ne1: u32,
    ne2: u32,
    src0_offset: u32,
    src0_nb1: u32,
    src0_nb2: u32,
    src0_nb3: u32,
    src1_offset: u32,
    src1_nb1: u32,
    rows: u32, // of src1
    ids_offset: u32,
    ids_nb0: u32,
    ids_nb1: u32,
    dst_offset: u32,
}
#params
#define dst_WRITE 1
#if VEC
#define src0_VEC 1
#define src1_VEC 1
#define dst_VEC 1
#define STEP 16u
#else
#define STEP 4u
#endif
#bind src0: array<WORD>
#bind src1: array<WORD>
#bind ids: array<i32>
#bind dst: array<WORD>
#import common/types/f32 q_=src0_ Q=src0
#import common/types/f32 q_=src1_ Q=src1
#import common/types/i32 q_=ids_ Q=ids
#import common/types/f32 q_=dst_ Q=dst
override wg_size: u32;

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = workgroup_index(id, count) * wg_size + lane;
    if (i >= params.count) {
        return;
    }
    let within = i % params.ne0 * STEP;
    let row = i / params.ne0;
    let i1 = row % params.ne1;
    let plane = row / params.ne1;
    let i2 = plane % params.ne2;
    let i3 = plane / params.ne2;
    let named = u32(ids_get(params.ids_offset + i1 * params.ids_nb0 + i2 * params.ids_nb1));
    let at0 = params.src0_offset + i1 * params.src0_nb1 + i2 * params.src0_nb2 + i3 * params.src0_nb3 + within;
    // An id beyond the end (an error on the CPU) names the last row.
    let at1 = params.src1_offset + min(named, params.rows - 1u) * params.src1_nb1 + within;
#if VEC
    dst_put4(params.dst_offset + i * STEP, src0_get4(at0) + src1_get4(at1));
#else
    dst_put(params.dst_offset + i * STEP, src0_get(at0) + src1_get(at1));
#endif
}
