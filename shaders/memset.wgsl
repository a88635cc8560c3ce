// Sets bytes: whole words to `value`, in the first and last word only the bits of a mask. Also patches single words.
#import common/grid
struct Params {
    first: u32, // word
    words: u32,
    value: u32,
    head: u32, // bits of the first word that change
    tail: u32, // bits of the last word that change
}
#params
#bind dst: array<u32>
override wg_size: u32;

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = workgroup_index(id, count) * wg_size + lane;
    if (i >= params.words) {
        return;
    }
    var mask = 0xffffffffu;
    if (i == 0u) {
        mask &= params.head;
    }
    if (i == params.words - 1u) {
        mask &= params.tail;
    }
    let at = params.first + i;
    dst[at] = (dst[at] & ~mask) | (params.value & mask);
}
