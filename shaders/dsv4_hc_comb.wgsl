// DSV4_HC_COMB: for each token a matrix of 4 by 4: soft_max of each row of the scaled mixes, then columns and rows scaled to a sum of
// about 1 in turn. An invocation for each token.
#import common/grid
struct Params {
    count: u32, // tokens
    n_iter: i32,
    eps: f32,
    mixes_offset: u32,
    mixes_nb0: u32,
    mixes_nb1: u32,
    scale_offset: u32, // of the one factor that counts here
    base_offset: u32,
    base_nb0: u32,
    dst_offset: u32,
    dst_nb0: u32,
    dst_nb1: u32,
    dst_nb2: u32,
}
#params
#bind mixes: array<f32>
#bind scale: array<f32>
#bind base: array<f32>
#bind dst: array<f32>
override wg_size: u32;

fn sum(v: vec4<f32>) -> f32 {
    return (v.x + v.y) + (v.z + v.w);
}
fn mixed(token: u32, i: u32, factor: f32) -> f32 {
    // What comes before are the numbers of DSV4_HC_PRE and DSV4_HC_POST.
    let n = 8u + i;
    let x = mixes[(params.mixes_offset + token * params.mixes_nb1 + n * params.mixes_nb0) >> 2u];
    return x * factor + base[(params.base_offset + n * params.base_nb0) >> 2u];
}

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let token = workgroup_index(id, count) * wg_size + lane;
    if (token >= params.count) {
        return;
    }
    let factor = scale[params.scale_offset >> 2u];
    var m: mat4x4<f32>; // one vector for each row
#for r 4
    {
        let v = vec4<f32>(mixed(token, 4u * r, factor), mixed(token, 4u * r + 1u, factor), mixed(token, 4u * r + 2u, factor), mixed(token, 4u * r + 3u, factor));
        let e = exp(v - max(max(v.x, v.y), max(v.z, v.w)));
        m[r] = e / sum(e) + params.eps;
    }
#endfor
    for (var i = 0; i < params.n_iter; i++) {
        if (i > 0) {
#for r 4
            m[r] = m[r] / (sum(m[r]) + params.eps);
#endfor
        }
        let columns = (m[0] + m[1]) + (m[2] + m[3]) + params.eps;
#for r 4
        m[r] = m[r] / columns;
#endfor
    }
#for r 4
#for c 4
    dst[(params.dst_offset + token * params.dst_nb2 + r * params.dst_nb1 + c * params.dst_nb0) >> 2u] = m[r][c];
#endfor
#endfor
}
