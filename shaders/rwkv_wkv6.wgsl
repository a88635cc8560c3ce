// RWKV_WKV6 and GATED_LINEAR_ATTN: linear attention whose state decays by a factor for each key's element. A team of invocations for
// each column of the state (one value of one head of one sequence), which runs over the tokens; dst has the results of all tokens,
// then the states. BONUS: a token's own product is weighted by `bonus` where it is read, and decays only later (RWKV).
#import common/grid
struct Params {
    heads: u32,
    tokens: u32, // of a sequence
    sequences: u32,
    scale: f32,
    k_offset: u32,
    v_offset: u32,
    r_offset: u32,
    bonus_offset: u32,
    decay_offset: u32,
    state_offset: u32,
    dst_offset: u32,
}
#params
#import common/team
#bind k: array<f32>
#bind v: array<f32>
#bind r: array<f32>
#if BONUS
#bind bonus: array<f32>
#endif
#bind decay: array<f32>
#bind state: array<f32>
#bind dst: array<f32>

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, TEAM_BUILTINS) {
    TEAM_START
    let blocks = (length + wg_size / TEAM - 1u) / (wg_size / TEAM);
    let index = workgroup_index(id, count);
    let head = index / blocks % params.heads;
    let sequence = index / blocks / params.heads;
    if (sequence >= params.sequences) {
        return;
    }
    // All of a workgroup run to the end together: those behind the last column repeat it.
    let wanted = index % blocks * (wg_size / TEAM) + lane / TEAM;
    let column = min(wanted, length - 1u);
    let part = lane % TEAM;

    var s = array<f32, EACH>();
    let place = (sequence * params.heads + head) * length * length + column;
#for i EACH
    s[i] = state[(params.state_offset >> 2u) + place + element(part, i) * length];
#endfor
#if BONUS
    var weights = array<f32, EACH>();
#for i EACH
    weights[i] = bonus[(params.bonus_offset >> 2u) + head * length + element(part, i)];
#endfor
#endif
    let values = params.heads * length;
    let result = params.dst_offset >> 2u;
    for (var t = 0u; t < params.tokens; t++) {
        let token = (sequence * params.tokens + t) * values + head * length;
        let value = v[(params.v_offset >> 2u) + token + column];
        let from_k = (params.k_offset >> 2u) + token;
        let from_r = (params.r_offset >> 2u) + token;
        let from_decay = (params.decay_offset >> 2u) + token;
        var product = 0.0;
        var sum = 0.0;
#for i EACH
        product = k[from_k + element(part, i)] * value;
#if BONUS
        sum += if_element(part, i, (product * weights[i] + s[i]) * r[from_r + element(part, i)]);
        s[i] = s[i] * decay[from_decay + element(part, i)] + product;
#else
        s[i] = s[i] * decay[from_decay + element(part, i)] + product;
        sum += if_element(part, i, s[i] * (r[from_r + element(part, i)] * params.scale));
#endif
#endfor
        sum = team_sum(sum);
        if (part == 0u && wanted < length) {
            dst[result + token + column] = sum;
        }
    }
    if (wanted < length) {
        let to = result + params.sequences * params.tokens * values + place;
#for i EACH
        if (has_element(part, i)) {
            dst[to + element(part, i) * length] = s[i];
        }
#endfor
    }
}
