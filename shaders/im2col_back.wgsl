// IM2COL_BACK: each element of the image is the sum of those elements of src that IM2COL would copy it to.
#import common/grid
struct Params {
    count: u32,    // elements of the image
    width: u32,
    height: u32,
    channels: u32,
    places0: u32,
    places1: u32,
    kernel0: u32,
    kernel1: u32,
    stride0: i32,
    stride1: i32,
    pad0: i32,
    pad1: i32,
    dilation0: i32,
    dilation1: i32,
    src_offset: u32, // elements of a place follow each other
    src_place0: u32, // bytes from one place to the next
    src_place1: u32,
    src_batch: u32,
    dst_offset: u32,
    dst_width: u32,
    dst_height: u32,
    dst_channel: u32,
    dst_batch: u32,
}
#params
override wg_size: u32;
#bind src: array<f32>
#bind dst: array<f32>

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = workgroup_index(id, count) * wg_size + lane;
    if (index >= params.count) {
        return;
    }
    let x = index % params.width;
    let row = index / params.width;
    let y = row % params.height;
    let plane = row / params.height;
    let channel = plane % params.channels;
    let batch = plane / params.channels;
    let start = params.src_offset + batch * params.src_batch;

    var sum = 0.0;
    for (var k1 = 0u; k1 < params.kernel1; k1++) {
        let down = i32(y) + params.pad1 - i32(k1) * params.dilation1;
        let place1 = down / params.stride1;
        if (down < 0 || place1 * params.stride1 != down || u32(place1) >= params.places1) {
            continue;
        }
        for (var k0 = 0u; k0 < params.kernel0; k0++) {
            let across = i32(x) + params.pad0 - i32(k0) * params.dilation0;
            let place0 = across / params.stride0;
            if (across < 0 || place0 * params.stride0 != across || u32(place0) >= params.places0) {
                continue;
            }
            let k = (channel * params.kernel1 + k1) * params.kernel0 + k0;
            sum += src[(start + u32(place0) * params.src_place0 + u32(place1) * params.src_place1) / 4u + k];
        }
    }
    let to = params.dst_offset + x * params.dst_width + y * params.dst_height + channel * params.dst_channel + batch * params.dst_batch;
    dst[to / 4u] = sum;
}
