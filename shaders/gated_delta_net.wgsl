// GATED_DELTA_NET: the gated delta rule. A team of invocations for each row of the state (one value of one head of one sequence),
// which runs over the tokens; dst has the results of all tokens, then the last states, the newest first.
// VECTOR: each element decays by a gate of its own, else a head as a whole.
#import common/grid
#import common/view
struct Params {
    heads: u32,
    tokens: u32,
    sequences: u32,
    kept: u32, // states
    scale: f32,
    q_heads: u32,
    k_heads: u32,
    q_shared: u32, // sequences that share queries
    k_shared: u32,
    q_view: View,
    k_view: View,
    v_view: View,
    gate_view: View,
    beta_view: View,
    state_offset: u32,
    state_nb3: u32,
    dst_offset: u32,
}
#params
#import common/team
#bind q: array<f32>
#bind k: array<f32>
#bind v: array<f32>
#bind gate: array<f32>
#bind beta: array<f32>
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
    // All of a workgroup run to the end together: those behind the last row repeat it.
    let wanted = index % blocks * (wg_size / TEAM) + lane / TEAM;
    let row = min(wanted, length - 1u);
    let part = lane % TEAM;

    var s = array<f32, EACH>();
    let start = ((params.state_offset + sequence * params.state_nb3) >> 2u) + (head * length + row) * length;
#for i EACH
    s[i] = state[start + element(part, i)];
#endfor
    let values = params.heads * length;
    let states = (params.dst_offset >> 2u) + params.sequences * params.tokens * values;
    for (var t = 0u; t < params.tokens; t++) {
        let from_q = at(params.q_view, 0u, head % params.q_heads, t, sequence / params.q_shared) >> 2u;
        let from_k = at(params.k_view, 0u, head % params.k_heads, t, sequence / params.k_shared) >> 2u;
        let from_gate = at(params.gate_view, 0u, head, t, sequence) >> 2u;
        let value = v[at(params.v_view, row, head, t, sequence) >> 2u];
        let strength = beta[at(params.beta_view, 0u, head, t, sequence) >> 2u];
#if !VECTOR
        let decay = exp(gate[from_gate]);
#endif
        // Queries are wanted only behind the sum, but asked for with the keys.
        var keys = array<f32, EACH>();
        var queries = array<f32, EACH>();
#for i EACH
        keys[i] = k[from_k + element(part, i)];
        queries[i] = q[from_q + element(part, i)];
#endfor
        var sum = 0.0;
#for i EACH
#if VECTOR
        s[i] *= exp(gate[from_gate + element(part, i)]);
#else
        s[i] *= decay;
#endif
        sum += if_element(part, i, s[i] * keys[i]);
#endfor
        let delta = (value - team_sum(sum)) * strength;
        sum = 0.0;
#for i EACH
        s[i] += keys[i] * delta;
        sum += if_element(part, i, s[i] * queries[i]);
#endfor
        sum = team_sum(sum) * params.scale;
        if (part == 0u && wanted < length) {
            dst[(params.dst_offset >> 2u) + (sequence * params.tokens + t) * values + head * length + row] = sum;
        }
        let back = params.tokens - 1u - t;
        if (back < params.kept && wanted < length) {
            let to = states + (((back * params.sequences + sequence) * params.heads + head) * length + row) * length;
#for i EACH
            if (has_element(part, i)) {
                dst[to + element(part, i)] = s[i];
            }
#endfor
        }
    }
    // Without a token the state stays.
    if (params.tokens == 0u && params.kept == 1u && wanted < length) {
        let to = states + ((sequence * params.heads + head) * length + row) * length;
#for i EACH
        if (has_element(part, i)) {
            dst[to + element(part, i)] = s[i];
        }
#endfor
    }
}
