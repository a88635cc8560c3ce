// ADD_REL_POS: dst = src, a window of `side` by `side` for each query, plus a number for its column (from `width`) and one for its
// row (from `height`). All contiguous f32.
#import common/grid
struct Params {
    count: u32, // elements of dst
    side: u32,
    src_offset: u32,
    width_offset: u32,
    height_offset: u32,
    dst_offset: u32,
}
#params
#bind src: array<f32>
#bind width: array<f32>
#bind height: array<f32>
#bind dst: array<f32>
override wg_size: u32;

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = workgroup_index(id, count) * wg_size + lane;
    if (i >= params.count) {
        return;
    }
    let line = i / params.side; // of all windows
    let query = line / params.side;
    let column = width[params.width_offset / 4u + query * params.side + i % params.side];
    dst[params.dst_offset / 4u + i] = src[params.src_offset / 4u + i] + height[params.height_offset / 4u + line] + column;
}
