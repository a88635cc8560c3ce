// RWKV_WKV7: linear attention whose state decays by a factor for each element of a key and by a product of rank one. A team of
// invocations for each row of the state (one value of one head of one sequence), which runs over the tokens; dst has the results of
// all tokens, then the states.
#import common/grid
struct Params {
    heads: u32,
    tokens: u32, // of a sequence
    sequences: u32,
    r_offset: u32,
    w_offset: u32,
    k_offset: u32,
    v_offset: u32,
    a_offset: u32,
    b_offset: u32,
    state_offset: u32,
    dst_offset: u32,
}
#params
#import common/team
#bind r: array<f32>
#bind w: array<f32>
#bind k: array<f32>
#bind v: array<f32>
#bind a: array<f32>
#bind b: array<f32>
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
    let place = ((sequence * params.heads + head) * length + row) * length;
#for i EACH
    s[i] = state[(params.state_offset >> 2u) + place + element(part, i)];
#endfor
    let values = params.heads * length;
    let result = params.dst_offset >> 2u;
    for (var t = 0u; t < params.tokens; t++) {
        let token = (sequence * params.tokens + t) * values + head * length;
        let value = v[(params.v_offset >> 2u) + token + row];
        let from_r = (params.r_offset >> 2u) + token;
        let from_w = (params.w_offset >> 2u) + token;
        let from_k = (params.k_offset >> 2u) + token;
        let from_a = (params.a_offset >> 2u) + token;
        let from_b = (params.b_offset >> 2u) + token;
        // What is wanted only behind the sum is asked for before it.
        var grown = array<f32, EACH>();
        var turns = array<f32, EACH>();
        var reads = array<f32, EACH>();
        var sum = 0.0;
#for i EACH
        turns[i] = b[from_b + element(part, i)];
        reads[i] = r[from_r + element(part, i)];
        grown[i] = s[i] * w[from_w + element(part, i)] + value * k[from_k + element(part, i)];
        sum += if_element(part, i, s[i] * a[from_a + element(part, i)]);
#endfor
        let turned = team_sum(sum);
        sum = 0.0;
#for i EACH
        s[i] = grown[i] + turned * turns[i];
        sum += if_element(part, i, s[i] * reads[i]);
#endfor
        sum = team_sum(sum);
        if (part == 0u && wanted < length) {
            dst[result + token + row] = sum;
        }
    }
    if (wanted < length) {
        let to = result + params.sequences * params.tokens * values + place;
#for i EACH
        if (has_element(part, i)) {
            dst[to + element(part, i)] = s[i];
        }
#endfor
    }
}
