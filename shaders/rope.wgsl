// ROPE and ROPE_BACK as decoding needs them: one position for each token, one batch, turned elements first. Few parameters.
struct Params {
    sizes: u32, // elements of a row, and above 16 bits n_dims
    heads: u32,
    src_offset: u32,
    src_nb1: u32,
    src_nb2: u32,
    dst_offset: u32,
    dst_nb1: u32,
    dst_nb2: u32,
    pos_offset: u32,
    factors_offset: u32,
    theta_scale: f32,
    freq_scale: f32,
    ext_factor: f32,
    low: f32, // pairs between which YaRN's ramp lies
    high: f32,
    magnitude: f32,
}
#params
#import common/rope

fn shape(count: vec3<u32>) -> Shape {
    return Shape(params.sizes & 0xffffu, params.sizes >> 16u, 0u, params.heads, count.z);
}

// First bytes of a plane in src and dst.
fn start(plane: u32) -> vec2<u32> {
    return vec2<u32>(params.src_offset + plane * params.src_nb2, params.dst_offset + plane * params.dst_nb2);
}

// A pair's position, and how often it is scaled.
fn position(plane: u32, pair: u32) -> vec2<i32> {
    return vec2<i32>(pos[params.pos_offset / 4u + plane], i32(pair));
}
