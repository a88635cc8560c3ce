// ROPE and ROPE_BACK: the kernel that both shaders of the room share. Each invocation turns one pair of a row, or copies two elements
// that are not turned, for one head after the other: the angle belongs to the token. MODE: normal, neox, mrope, imrope, vision.
// FACTORS: a divisor for each pair's angle. BACK: the opposite way. The importing file says what `shape` and `start` are.
#import common/grid
#import common/turn
#define dst_WRITE 1
#bind src: array<SRC_WORD>
#bind pos: array<i32>
#bind dst: array<DST_WORD>
#import common/types/SRC q_=src_ Q=src
#import common/types/DST q_=dst_ Q=dst
#if FACTORS
#bind factors: array<f32>
#endif

struct Shape {
    ne0: u32,
    n_dims: u32,
    first: u32,  // element of a row where the turned ones begin
    heads: u32,
    planes: u32,
}

// A pair's angle after YaRN, which stretches slow pairs and keeps fast ones.
fn angle_of(theta: f32, pair: u32) -> f32 {
#if FACTORS
    let wide = theta / factors[params.factors_offset / 4u + pair];
#else
    let wide = theta;
#endif
    let narrow = params.freq_scale * wide;
    if (params.ext_factor == 0.0) {
        return narrow;
    }
    let ramp = (f32(pair) - params.low) / max(0.001, params.high - params.low);
    let mix = (1.0 - min(1.0, max(0.0, ramp))) * params.ext_factor;
    return narrow * (1.0 - mix) + wide * mix;
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let s = shape(count);
    let slot = id.x * 64u + lane;
    if (slot >= (s.ne0 + 1u) / 2u) {
        return;
    }
#if MODE == vision
    let pairs = s.n_dims;
#else
    let pairs = s.n_dims / 2u;
#endif
    let turned = slot < pairs;
#if MODE == normal
    var a = s.first + 2u * slot;
    var b = a + 1u;
#else
    var a = s.first + slot;
    var b = a + pairs;
#endif
    if (!turned) {
        a = 2u * (slot - pairs);
        a += select(0u, 2u * pairs, a >= s.first);
        b = min(a + 1u, s.ne0 - 1u);
    }
    for (var plane = id.z; plane < s.planes; plane += count.z) {
        let at = start(plane);
        var to = vec2<f32>(1.0, 0.0);
        if (turned) {
            // As often multiplied, and so rounded, as on the CPU: at far positions no other way gives the same angle.
            let origin = position(plane, slot);
            var theta = f32(origin.x);
            for (var i = 0; i < origin.y; i++) {
                theta *= params.theta_scale;
            }
            to = turn(angle_of(theta, slot)) * params.magnitude;
#if BACK
            to.y = -to.y;
#endif
        }
        for (var head = id.y; head < s.heads; head += count.y) {
            let source = at.x + head * params.src_nb1;
            let into = at.y + head * params.dst_nb1;
            let x = src_get(source + a * DST_BYTES);
            let y = src_get(source + b * DST_BYTES);
            // A copy keeps NaN and the like out of its neighbour.
            dst_put(into + a * DST_BYTES, select(x, x * to.x - y * to.y, turned));
            dst_put(into + b * DST_BYTES, select(y, x * to.y + y * to.x, turned));
        }
    }
}
