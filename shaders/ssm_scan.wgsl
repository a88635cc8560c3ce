// SSM_SCAN: a selective state space model. A team of invocations for each row of the state (one channel of one head of one
// sequence), which runs over the tokens; dst has the results of all tokens, then the last states, the newest first.
// SCALAR: a head decays as a whole (Mamba-2), else each element has its own rate (Mamba-1).
#import common/grid
struct Params {
    tokens: u32,
    sequences: u32,
    state_offset: u32,
    x_offset: u32,
    x_nb2: u32,
    x_nb3: u32,
    dt_offset: u32,
    rate_offset: u32,
    b_offset: u32,
    b_nb2: u32,
    b_nb3: u32,
    c_offset: u32,
    c_nb2: u32,
    c_nb3: u32,
    ids_offset: u32,
    dst_offset: u32,
}
#params
#import common/team
#bind state: array<f32>
#bind x: array<f32>
#bind dt: array<f32>
#bind rate: array<f32>
#bind b: array<f32>
#bind c: array<f32>
#bind ids: array<i32>
#bind dst: array<f32>
override channels: u32; // of a head
override heads: u32;
override groups: u32;
override kept: u32; // states

fn softplus(v: f32) -> f32 {
    return select(log(1.0 + exp(v)), v, v > 20.0);
}

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, TEAM_BUILTINS) {
    TEAM_START
    let rows = channels * heads;
    let blocks = (rows + wg_size / TEAM - 1u) / (wg_size / TEAM);
    let index = workgroup_index(id, count);
    let sequence = index / blocks;
    if (sequence >= params.sequences) {
        return;
    }
    // All of a workgroup run to the end together: those behind the last row repeat it.
    let wanted = index % blocks * (wg_size / TEAM) + lane / TEAM;
    let row = min(wanted, rows - 1u);
    let part = lane % TEAM;
    let head = row / channels;
    let group = head / (heads / groups);

    var s = array<f32, EACH>();
    let wanted_start = (params.state_offset >> 2u) + (u32(ids[(params.ids_offset >> 2u) + sequence]) * rows + row) * length;
    // A wrong number of a sequence reads a wrong state, but nothing else's memory.
    let start = min(wanted_start, arrayLength(&state) - length);
#for i EACH
    s[i] = state[start + element(part, i)];
#endfor
#if SCALAR
    let own_rate = rate[(params.rate_offset >> 2u) + head];
#else
    var rates = array<f32, EACH>();
#for i EACH
    rates[i] = rate[(params.rate_offset >> 2u) + head * length + element(part, i)];
#endfor
#endif
    let states = (params.dst_offset >> 2u) + params.sequences * params.tokens * rows;
    for (var t = 0u; t < params.tokens; t++) {
        let token = sequence * params.tokens + t;
        let step = softplus(dt[(params.dt_offset >> 2u) + token * heads + head]);
        let input = step * x[((params.x_offset + t * params.x_nb2 + sequence * params.x_nb3) >> 2u) + row];
        let from_b = ((params.b_offset + t * params.b_nb2 + sequence * params.b_nb3) >> 2u) + group * length;
        let from_c = ((params.c_offset + t * params.c_nb2 + sequence * params.c_nb3) >> 2u) + group * length;
#if SCALAR
        let decay = exp(step * own_rate);
#endif
        var sum = 0.0;
#for i EACH
#if SCALAR
        s[i] = s[i] * decay + b[from_b + element(part, i)] * input;
#else
        s[i] = s[i] * exp(step * rates[i]) + b[from_b + element(part, i)] * input;
#endif
        sum += if_element(part, i, s[i] * c[from_c + element(part, i)]);
#endfor
        sum = team_sum(sum);
        if (part == 0u && wanted < rows) {
            dst[(params.dst_offset >> 2u) + token * rows + row] = sum;
        }
        let back = params.tokens - 1u - t;
        if (back < kept && wanted < rows) {
            let to = states + ((back * params.sequences + sequence) * rows + row) * length;
#for i EACH
            if (has_element(part, i)) {
                dst[to + element(part, i)] = s[i];
            }
#endfor
        }
    }
}
