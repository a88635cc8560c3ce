// COL2IM_1D: each sample of a channel is the sum of the columns' elements that overlap there; one for each invocation.
#import common/grid
struct Params {
    count: u32,
    length: u32,   // samples of a channel
    columns: u32,
    kernel: u32,   // elements of a column for each channel
    stride: u32,
    crop: u32,
    src_offset: u32,
    src_nb1: u32,
    dst_offset: u32,
    dst_nb1: u32,
}
#params
override wg_size: u32;
#define dst_WRITE 1
#bind src: array<SRC_WORD>
#bind dst: array<DST_WORD>
#import common/types/SRC q_=src_ Q=src
#import common/types/DST q_=dst_ Q=dst

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = workgroup_index(id, count) * wg_size + lane;
    if (index >= params.count) {
        return;
    }
    let sample = index % params.length;
    let channel = index / params.length;
    let place = sample + params.crop;
    let first = (max(place + 1u, params.kernel) - params.kernel + params.stride - 1u) / params.stride;
    let end = min(place / params.stride + 1u, params.columns);
    var sum = 0.0;
    for (var column = first; column < end; column++) {
        let element = channel * params.kernel + place - column * params.stride;
        sum += src_get(params.src_offset + column * params.src_nb1 + element * SRC_BYTES);
    }
    dst_put(params.dst_offset + channel * params.dst_nb1 + sample * DST_BYTES, sum);
}
