// LIGHTNING_INDEXER: how much a token cares for a key: the products of the key with the token's heads, those above 0 weighted and
// summed, plus the mask. A workgroup takes KEYS keys and one token, HEADS heads at a time. ROW4: rows of whole groups of four.
#import common/grid
#import common/view
struct Params {
    count: u32, // workgroups
    n_embd: u32,
    n_head: u32,
    n_token: u32,
    n_kv: u32,
    tiles: u32, // of keys
    masks: u32, // streams of the mask
    q_view: View,
    k_view: View,
    w_view: View,
    m_view: View,
    dst_view: View,
}
#params
#bind q: array<f32>
#bind k: array<K_WORD>
#bind w: array<f32>
#bind m: array<M_WORD>
#bind dst: array<f32>
#import common/types/K q_=k_ Q=k
#import common/types/f16 q_=m_ Q=m
#define KEYS 32u
#define HEADS 64u
#define WG_SIZE 128u
// Groups of four elements of a row that lie in workgroup memory at a time.
#define DEPTH 8u
// One more than needed: neighbours in a row then lie in different banks.
var<workgroup> some_k: array<vec4<f32>, DEPTH * (KEYS + 1u)>;
var<workgroup> some_q: array<vec4<f32>, DEPTH * (HEADS + 1u)>;
var<workgroup> parts: array<f32, KEYS * 16u>;

fn load_k(key: u32, i: u32, stream: u32) -> vec4<f32> {
    if (key >= params.n_kv || i >= params.n_embd) {
        return vec4<f32>();
    }
    let row = at(params.k_view, 0u, 0u, key, stream);
#if ROW4
    return k_row4(row, i);
#else
    var v = vec4<f32>();
#for n 4
    if (i + n < params.n_embd) {
        v[n] = k_get(row + (i + n) * K_BYTES);
    }
#endfor
    return v;
#endif
}

fn load_q(head: u32, i: u32, token: u32, stream: u32) -> vec4<f32> {
    var v = vec4<f32>();
#for n 4
    if (head < params.n_head && i + n < params.n_embd) {
        v[n] = q[at(params.q_view, i + n, head, token, stream) >> 2u];
    }
#endfor
    return v;
}

@compute @workgroup_size(WG_SIZE)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = workgroup_index(id, count);
    if (index >= params.count) {
        return;
    }
    // Tokens first: those that run together share keys.
    let token = index % params.n_token;
    let tile = index / params.n_token % params.tiles;
    let stream = index / (params.n_token * params.tiles);
    // Each invocation has keys kx + 8 n and heads hx + 16 n.
    let kx = lane % 8u;
    let hx = lane / 8u;
    var scores = vec4<f32>(); // of four keys
    for (var head = 0u; head < params.n_head; head += HEADS) {
        var sums = array<vec4<f32>, 4>(); // for each key, of four heads
        for (var start = 0u; start < params.n_embd; start += DEPTH * 4u) {
            workgroupBarrier();
#for n KEYS * DEPTH / WG_SIZE
            {
                let i = (lane + n * WG_SIZE) % DEPTH;
                let key = (lane + n * WG_SIZE) / DEPTH;
                some_k[i * (KEYS + 1u) + key] = load_k(tile * KEYS + key, start + i * 4u, stream);
            }
#endfor
#for n HEADS * DEPTH / WG_SIZE
            {
                let i = (lane + n * WG_SIZE) % DEPTH;
                let h = (lane + n * WG_SIZE) / DEPTH;
                some_q[i * (HEADS + 1u) + h] = load_q(head + h, start + i * 4u, token, stream);
            }
#endfor
            workgroupBarrier();
            let some = min(DEPTH, (params.n_embd - start + 3u) / 4u);
            for (var i = 0u; i < some; i++) {
                let q0 = some_q[i * (HEADS + 1u) + hx];
                let q1 = some_q[i * (HEADS + 1u) + hx + 16u];
                let q2 = some_q[i * (HEADS + 1u) + hx + 32u];
                let q3 = some_q[i * (HEADS + 1u) + hx + 48u];
#for n 4
                {
                    let v = some_k[i * (KEYS + 1u) + kx + n * 8u];
                    sums[n] += vec4<f32>(dot(v, q0), dot(v, q1), dot(v, q2), dot(v, q3));
                }
#endfor
            }
        }
        var weights = vec4<f32>();
#for n 4
        if (head + hx + n * 16u < params.n_head) {
            weights[n] = w[at(params.w_view, head + hx + n * 16u, token, 0u, stream) >> 2u];
        }
#endfor
#for n 4
        scores[n] += dot(select(vec4<f32>(), sums[n], sums[n] > vec4<f32>()), weights);
#endfor
    }
#for n 4
    parts[(kx + n * 8u) * 16u + hx] = scores[n];
#endfor
    workgroupBarrier();
    let key = tile * KEYS + lane;
    if (lane < KEYS && key < params.n_kv) {
        var score = 0.0;
        for (var i = 0u; i < 16u; i++) {
            score += parts[lane * 16u + i];
        }
        let mask = m_get(at(params.m_view, key, token, 0u, stream % params.masks));
        dst[at(params.dst_view, key, token, 0u, stream) >> 2u] = score + mask;
    }
}
