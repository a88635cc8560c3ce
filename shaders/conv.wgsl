// CONV_2D and CONV_3D: a product of the kernels' elements with what lies below them, without storing the latter. A workgroup computes
// 64 places for 64 output channels, each of its 256 invocations 4 x 4. In two dimensions the third one has length 1.
// DENSE: the kernels' elements follow each other.
// HALF: the kernels are f16, and images are rounded to f16 too, as the CPU backend does: where products cancel, the rounding is all
// that is left.
#import common/exact
#import common/grid
struct Params {
    places: u32,     // in all batches
    channels: u32,   // of the result
    k: u32,          // elements of a kernel
    places0: u32,
    places1: u32,
    places2: u32,
    width: u32,      // of the image
    height: u32,
    depth: u32,
    kernel0: u32,
    kernel1: u32,
    kernel2: u32,
    stride0: i32,
    stride1: i32,
    stride2: i32,
    pad0: i32,
    pad1: i32,
    pad2: i32,
    dilation0: i32,
    dilation1: i32,
    dilation2: i32,
    kernel_offset: u32,
    kernel_width: u32, // bytes from one element to the next
    kernel_height: u32,
    kernel_depth: u32,
    kernel_inner: u32, // channels of the image
    kernel_outer: u32,
    src_offset: u32,
    src_width: u32,
    src_height: u32,
    src_depth: u32,
    src_channel: u32,
    src_batch: u32,
    dst_offset: u32,
    dst_width: u32,
    dst_height: u32,
    dst_depth: u32,
    dst_channel: u32,
    dst_batch: u32,
}
#params
#define dst_WRITE 1
#bind kernel: array<KERNEL_WORD>
#bind src: array<SRC_WORD>
#bind dst: array<DST_WORD>
#import common/types/KERNEL q_=kernel_ Q=kernel
#import common/types/SRC q_=src_ Q=src
#import common/types/DST q_=dst_ Q=dst

const STEP = 16u;
const SIDE = 64u;
const PADDED = 65u; // so that neighbours along k lie in other banks
var<workgroup> image: array<f32, STEP * SIDE>;
var<workgroup> weights: array<f32, STEP * PADDED>;

// An element of the image as the product takes it.
fn factor(v: f32) -> f32 {
#if HALF
    return half_exact(v);
#else
    return v;
#endif
}

// Where a place lies: x, y, depth, batch.
fn place_of(i: u32) -> vec4<u32> {
    let row = i / params.places0;
    let plane = row / params.places1;
    return vec4<u32>(i % params.places0, row % params.places1, plane % params.places2, plane / params.places2);
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = workgroup_index(id, count);
    exact_begin(group);
    let across = (params.places + SIDE - 1u) / SIDE;
    let base_place = group % across * SIDE;
    let base_channel = group / across * SIDE;
    if (base_channel >= params.channels) {
        return;
    }
    // The place whose elements this invocation loads.
    let loaded = base_place + lane % SIDE;
    let place = place_of(loaded);
    let corner = vec3<i32>(
        i32(place.x) * params.stride0 - params.pad0,
        i32(place.y) * params.stride1 - params.pad1,
        i32(place.z) * params.stride2 - params.pad2,
    );
    let plane = params.src_offset + place.w * params.src_batch;
    let own_place = lane % 16u * 4u;
    let own_channel = lane / 16u * 4u;

    var sums = array<vec4<f32>, 4>();
    for (var base = 0u; base < params.k; base += STEP) {
        for (var step = lane / SIDE; step < STEP; step += 256u / SIDE) {
            let k = base + step;
            var v = 0.0;
            if (loaded < params.places && k < params.k) {
                let row = k / params.kernel0;
                let level = row / params.kernel1;
                // Before the first element wraps around to far behind the last one.
                let x = u32(corner.x + i32(k % params.kernel0) * params.dilation0);
                let y = u32(corner.y + i32(row % params.kernel1) * params.dilation1);
                let z = u32(corner.z + i32(level % params.kernel2) * params.dilation2);
                if (x < params.width && y < params.height && z < params.depth) {
                    let start = plane + level / params.kernel2 * params.src_channel;
                    v = factor(src_get(start + x * params.src_width + y * params.src_height + z * params.src_depth));
                }
            }
            image[step * SIDE + lane % SIDE] = v;
        }
        for (var i = lane; i < STEP * SIDE; i += 256u) {
            let k = base + i % STEP;
            let channel = base_channel + i / STEP;
            var w = 0.0;
            if (channel < params.channels && k < params.k) {
#if DENSE
                w = kernel_get(params.kernel_offset + (channel * params.k + k) * KERNEL_BYTES);
#else
                let row = k / params.kernel0;
                let level = row / params.kernel1;
                var place = k % params.kernel0 * params.kernel_width + row % params.kernel1 * params.kernel_height;
                place += level % params.kernel2 * params.kernel_depth + level / params.kernel2 * params.kernel_inner;
                w = kernel_get(params.kernel_offset + channel * params.kernel_outer + place);
#endif
            }
            weights[i % STEP * PADDED + i / STEP] = w;
        }
        workgroupBarrier();
        for (var step = 0u; step < STEP; step++) {
            let at = step * SIDE + own_place;
            let v = vec4<f32>(image[at], image[at + 1u], image[at + 2u], image[at + 3u]);
            let w = step * PADDED + own_channel;
            sums[0] += v * weights[w];
            sums[1] += v * weights[w + 1u];
            sums[2] += v * weights[w + 2u];
            sums[3] += v * weights[w + 3u];
        }
        workgroupBarrier();
    }
    for (var c = 0u; c < 4u; c++) {
        let i = base_place + own_place + c;
        let p = place_of(i);
        let to = params.dst_offset + p.x * params.dst_width + p.y * params.dst_height + p.z * params.dst_depth + p.w * params.dst_batch;
        for (var r = 0u; r < 4u; r++) {
            let channel = base_channel + own_channel + r;
            if (i < params.places && channel < params.channels) {
                dst_put(to + channel * params.dst_channel, sums[r][c]);
            }
        }
    }
}
