// Copies words from one binding to another: for sources that overlap what a kernel writes.
#import common/grid
struct Params {
    words: u32,
}
#params
#bind src: array<u32>
#bind dst: array<u32>
override wg_size: u32;

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = workgroup_index(id, count) * wg_size + lane;
    if (i < params.words) {
        dst[i] = src[i];
    }
}
