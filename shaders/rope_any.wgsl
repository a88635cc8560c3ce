// ROPE and ROPE_BACK in every form: four positions for each token of which each pair takes one (M-RoPE), batches, an offset within the row.
#import common/view
struct Params {
    ne0: u32,
    n_dims: u32,
    first: u32,
    heads: u32,
    tokens: u32,
    positions: u32, // of a kind: those of another kind follow
    batches: u32,
    src_offset: u32,
    src_nb1: u32,
    src_nb2: u32,
    src_nb3: u32,
    dst_offset: u32,
    dst_nb1: u32,
    dst_nb2: u32,
    dst_nb3: u32,
    pos_offset: u32,
    factors_offset: u32,
    theta_scale: f32,
    freq_scale: f32,
    ext_factor: f32,
    low: f32,
    high: f32,
    magnitude: f32,
    // Lengths of the sections: time, height, width, extra.
    section0: u32,
    section1: u32,
    section2: u32,
    section3: u32,
}
#params
#import common/rope

fn shape(count: vec3<u32>) -> Shape {
    return Shape(params.ne0, params.n_dims, params.first, params.heads, params.tokens * params.batches);
}

fn start(plane: u32) -> vec2<u32> {
    let i2 = plane % params.tokens;
    let i3 = plane / params.tokens;
    return vec2<u32>(
        params.src_offset + i2 * params.src_nb2 + i3 * params.src_nb3,
        params.dst_offset + i2 * params.dst_nb2 + i3 * params.dst_nb3,
    );
}

fn position(plane: u32, pair: u32) -> vec2<i32> {
    let token = params.pos_offset / 4u + plane % params.tokens;
#if MODE == normal || MODE == neox
    return vec2<i32>(pos[token], i32(pair));
#else
    let ends = vec3<u32>(params.section0, params.section0 + params.section1, params.section0 + params.section1 + params.section2);
    let sector = pair % (ends.z + params.section3);
    var which = 0u;
#if MODE == imrope
    let third = sector % 3u;
    which = 3u;
    if (third == 0u && sector < 3u * params.section0) {
        which = 0u;
    } else if (third == 1u && sector < 3u * params.section1) {
        which = 1u;
    } else if (third == 2u && sector < 3u * params.section2) {
        which = 2u;
    }
#else
    which = u32(sector >= ends.x) + u32(sector >= ends.y) + u32(sector >= ends.z);
#endif
    var scalings = pair;
#if MODE == vision
    // Each section starts anew, except one that begins where an empty one does.
    let starts = vec4<u32>(0u, ends);
    if (which == 0u || starts[which] != starts[which - 1u]) {
        scalings = sector - starts[which];
    }
#endif
    return vec2<i32>(pos[token + which * params.positions], i32(scalings));
#endif
}
