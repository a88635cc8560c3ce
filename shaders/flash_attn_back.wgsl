// FLASH_ATTN_BACK: gradients of attention for queries, keys and values, one behind the other in dst. KEYS: a workgroup for each key sums
// the gradients of the key and its value; else one for each query sums that of the query, and leaves in `stats` what KEYS needs of its
// row: the greatest score, the sum of the exponentials and the mean of the products with the gradient.
#import common/grid
#import common/view
struct Params {
    count: u32, // workgroups
    depth: u32, // elements of a head
    n_query: u32,
    n_key: u32,
    q_heads: u32,
    k_heads: u32,
    masked: u32,  // queries see keys up to their own
    scale: f32,
    q_view: View,
    k_view: View,
    v_view: View, // transposed
    d_view: View,
    stats_offset: u32,
    dst_offset: u32,
    dst_q_end: u32, // elements from the start of dst: gradients begin at multiples of four
    dst_k: u32,
    dst_k_end: u32,
    dst_v: u32,
    dst_v_end: u32,
    dst_end: u32,
}
#params
override wg_size: u32;
#import common/reduce
#bind q: array<f32>
#bind k: array<f32>
#bind v: array<f32>
#bind d: array<f32>
#bind stats: array<f32>
#bind dst: array<f32>

// The scaled score of a key for a query, and the gradient of its weight.
fn pair(query: u32, key: u32, head: u32, stream: u32) -> vec2<f32> {
    let k_head = head % params.k_heads;
    var q_at = at(params.q_view, 0u, query, head, stream);
    var k_at = at(params.k_view, 0u, key, k_head, stream);
    var v_at = at(params.v_view, key, 0u, k_head, stream);
    var d_at = at(params.d_view, 0u, query, head, stream);
    var score = 0.0;
    var gradient = 0.0;
    for (var i = 0u; i < params.depth; i++) {
        score += q[q_at >> 2u] * k[k_at >> 2u];
        gradient += d[d_at >> 2u] * v[v_at >> 2u];
        q_at += params.q_view.nb0;
        k_at += params.k_view.nb0;
        v_at += params.v_view.nb1;
        d_at += params.d_view.nb0;
    }
    return vec2<f32>(score * params.scale, gradient);
}

// Keys that a query sees.
fn seen(query: u32) -> u32 {
    return select(params.n_key, params.n_key - params.n_query + query + 1u, params.masked != 0u);
}

#if KEYS
var<workgroup> pairs: array<vec2<f32>, wg_size>; // weight, and gradient of the score

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let index = workgroup_index(id, count);
    if (index >= params.count) {
        return;
    }
    let key = index % params.n_key;
    let k_head = index / params.n_key % params.k_heads;
    let stream = index / (params.n_key * params.k_heads);
    let start = params.dst_offset / 4u;
    if (index == 0u && lane < 4u) {
        // What lies between the gradients.
        if (params.dst_q_end + lane < params.dst_k) {
            dst[start + params.dst_q_end + lane] = 0.0;
        }
        if (params.dst_k_end + lane < params.dst_v) {
            dst[start + params.dst_k_end + lane] = 0.0;
        }
        if (params.dst_v_end + lane < params.dst_end) {
            dst[start + params.dst_v_end + lane] = 0.0;
        }
    }
    let to_k = start + params.dst_k + index * params.depth;
    let to_v = start + params.dst_v + index / params.n_key * params.depth * params.n_key + key;
    // Each invocation sums in the elements of dst that are its own.
    for (var i = lane; i < params.depth; i += wg_size) {
        dst[to_k + i] = 0.0;
        dst[to_v + i * params.n_key] = 0.0;
    }
    let rows = params.n_query * (params.q_heads / params.k_heads);
    for (var first = 0u; first < rows; first += wg_size) {
        var mine = vec2<f32>();
        let row = first + lane;
        if (row < rows && key < seen(row % params.n_query)) {
            let query = row % params.n_query;
            let head = k_head + row / params.n_query * params.k_heads;
            let both = pair(query, key, head, stream);
            let at_stats = params.stats_offset / 4u + 3u * ((stream * params.q_heads + head) * params.n_query + query);
            let weight = exp(both.x - stats[at_stats]) / stats[at_stats + 1u];
            mine = vec2<f32>(weight, weight * (both.y - stats[at_stats + 2u]) * params.scale);
        }
        workgroupBarrier();
        pairs[lane] = mine;
        workgroupBarrier();
        for (var i = lane; i < params.depth; i += wg_size) {
            var sum_k = 0.0;
            var sum_v = 0.0;
            for (var j = 0u; j < min(wg_size, rows - first); j++) {
                let query = (first + j) % params.n_query;
                let head = k_head + (first + j) / params.n_query * params.k_heads;
                sum_k += pairs[j].y * q[at(params.q_view, i, query, head, stream) >> 2u];
                sum_v += pairs[j].x * d[at(params.d_view, i, query, head, stream) >> 2u];
            }
            dst[to_k + i] += sum_k;
            dst[to_v + i * params.n_key] += sum_v;
        }
    }
}
#else
var<workgroup> gradients: array<f32, wg_size>;

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32, REDUCE_BUILTINS) {
    REDUCE_START
    let row = workgroup_index(id, count);
    if (row >= params.count) {
        return;
    }
    let query = row % params.n_query;
    let head = row / params.n_query % params.q_heads;
    let stream = row / (params.n_query * params.q_heads);
    let keys = seen(query);
    var most = -3.4e38;
    for (var key = lane; key < keys; key += wg_size) {
        most = max(most, pair(query, key, head, stream).x);
    }
    most = reduce_max(most);
    var sum = 0.0;
    var product = 0.0;
    for (var key = lane; key < keys; key += wg_size) {
        let both = pair(query, key, head, stream);
        let e = exp(both.x - most);
        sum += e;
        product += e * both.y;
    }
    sum = reduce_add(sum);
    let mean = reduce_add(product) / sum;
    if (lane == 0u) {
        let to_stats = params.stats_offset / 4u + 3u * row;
        stats[to_stats] = most;
        stats[to_stats + 1u] = sum;
        stats[to_stats + 2u] = mean;
    }
    let to = params.dst_offset / 4u + row * params.depth;
    for (var i = lane; i < params.depth; i += wg_size) {
        dst[to + i] = 0.0;
    }
    for (var first = 0u; first < keys; first += wg_size) {
        var mine = 0.0;
        if (first + lane < keys) {
            let both = pair(query, first + lane, head, stream);
            mine = exp(both.x - most) / sum * (both.y - mean) * params.scale;
        }
        workgroupBarrier();
        gradients[lane] = mine;
        workgroupBarrier();
        for (var i = lane; i < params.depth; i += wg_size) {
            var all = 0.0;
            for (var j = 0u; j < min(wg_size, keys - first); j++) {
                all += gradients[j] * k[at(params.k_view, i, first + j, head % params.k_heads, stream) >> 2u];
            }
            dst[to + i] += all;
        }
    }
}
#endif
