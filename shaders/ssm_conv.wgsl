// SSM_CONV: each channel's row of tokens with its own short kernel. src has its tokens innermost, dst its channels: an invocation
// computes TOKENS neighbouring tokens of a channel, so that it uses what it touches of its row, and its neighbours store beside it.
// WIDTH: the kernel's length where it is short, so that its weights stay in registers; else `params.width` says it.
#import common/grid
struct Params {
    channels: u32,
    tokens: u32,
    sequences: u32,
    width: u32,
    first: u32, // token of src with which dst begins
    src_offset: u32,
    src_nb0: u32,
    src_nb1: u32,
    src_nb2: u32,
    weight_offset: u32,
    weight_nb0: u32,
    weight_nb1: u32,
    dst_offset: u32,
    dst_nb0: u32,
    dst_nb1: u32,
    dst_nb2: u32,
}
#params
#bind src: array<f32>
#bind weight: array<f32>
#bind dst: array<f32>
override wg_size: u32;

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let blocks = (params.channels + wg_size - 1u) / wg_size;
    let spans = (params.tokens + TOKENS - 1u) / TOKENS;
    let index = workgroup_index(id, count);
    let channel = index % blocks * wg_size + lane;
    let sequence = index / blocks / spans;
    if (channel >= params.channels || sequence >= params.sequences) {
        return;
    }
    let begin = index / blocks % spans * TOKENS;
    let end = min(begin + TOKENS, params.tokens);
    let kernel = params.weight_offset + channel * params.weight_nb1;
    var source = params.src_offset + (params.first + begin) * params.src_nb0 + channel * params.src_nb1 + sequence * params.src_nb2;
    var to = params.dst_offset + channel * params.dst_nb0 + begin * params.dst_nb1 + sequence * params.dst_nb2;
#if WIDTH
    var weights = array<f32, WIDTH>();
#for tap WIDTH
    weights[tap] = weight[(kernel + tap * params.weight_nb0) >> 2u];
#endfor
#endif
    for (var t = begin; t < end; t++) {
        var sum = 0.0;
#if WIDTH
#for tap WIDTH
        sum += src[(source + tap * params.src_nb0) >> 2u] * weights[tap];
#endfor
#else
        for (var tap = 0u; tap < params.width; tap++) {
            sum += src[(source + tap * params.src_nb0) >> 2u] * weight[(kernel + tap * params.weight_nb0) >> 2u];
        }
#endif
        dst[to >> 2u] = sum;
        source += params.src_nb0;
        to += params.dst_nb1;
    }
}
