// FLASH_ATTN_EXT with matrix units: one workgroup takes ROWS rows of queries (a row is a query of one head; the heads that share
// keys lie side by side) and goes through the keys, KEYS at a time. f16 in, f32 sums. WR by WC subgroups: each has RM matrices
// of rows, and of their scores RN, of their results ON matrices of columns.
// Single elements of a matrix cannot be reached: scores pass through workgroup memory, where TPR invocations share a row. Results
// stay in matrices. They are only rescaled, through workgroup memory too, when a row's maximum grows by more than LAG; until
// then weights may be as large as exp(LAG), which f16 holds.
// K_TYPE, V_TYPE: f16 or quantised. DK, DV: lengths; DK_ALL, DV_ALL: filled up to whole matrices. K_PART: elements of the keys that
// are staged at a time. V_PART: values that are. QUERIES: the queries lie in workgroup memory instead of in matrices.
// MASK, SINKS: there are such sources. PARTS: results go to scratch memory, unscaled and with their maxima and sums, for
// flash_attn/combine.
#import flash_attn/sources
#import flash_attn/halves q_=k_ Q=keys
#import flash_attn/halves q_=v_ Q=values

const LAG: f32 = 8.0;
// Rows are padded by 16 bytes, so that neighbours lie in different banks.
#define K_PITCH (K_PART + 8u)
#define V_PITCH (DV_ALL + 8u)
#define Q_PITCH (DK_ALL + 8u)
#define S_PITCH (KEYS + 4u)
#define W_PITCH (KEYS + 8u)
#define WG_SIZE (SG * WR * WC)
var<workgroup> tile: array<f16, TILE_HALVES>; // keys, or values, and before them the queries
#if QUERIES
var<workgroup> queries: array<f16, ROWS * Q_PITCH>;
#endif
var<workgroup> scores: array<f32, SCORE_WORDS>;
var<workgroup> weights: array<f16, ROWS * W_PITCH>;
var<workgroup> factors: array<f32, ROWS>; // of the rows' results
// Each variable is a multiple of 16 bytes long: matrices must begin at such addresses, whatever order a driver puts them in.
// 0: 1 + the last key of a tile that some row sees. 1: 1 + the last key of a tile that needs results rescaled.
var<workgroup> flags: array<atomic<u32>, 4>;

// Piece t of the keys (of their elements from d on) and of the values that are staged together: eight neighbours.
fn stage_key(t: u32, first: u32, end: u32, key_at: u32, d: u32) -> Halves {
    let n = first + t / (K_PART / 8u);
    let e = d + t % (K_PART / 8u) * 8u;
    if (n < min(end, first + KEYS) && e < DK) {
        return k_halves(key_at + n * params.keys_view.nb1, e);
    }
    return Halves();
}

fn stage_value(t: u32, first: u32, end: u32, value_at: u32) -> Halves {
    let n = first + t / (DV_ALL / 8u);
    let e = t % (DV_ALL / 8u) * 8u;
    if (n < min(end, first + V_PART) && e < DV) {
        return v_halves(value_at + n * params.values_view.nb1, e);
    }
    return Halves();
}

fn put(at: u32, x: Halves) {
#for j 4
    tile[at + j] = x.a[j];
    tile[at + 4u + j] = x.b[j];
#endfor
}

fn put_key(t: u32, x: Halves) {
    if (KEYS * K_PART / 8u % WG_SIZE == 0u || t < KEYS * K_PART / 8u) {
        put(t / (K_PART / 8u) * K_PITCH + t % (K_PART / 8u) * 8u, x);
    }
}

fn put_value(t: u32, x: Halves) {
    if (V_PART * DV_ALL / 8u % WG_SIZE == 0u || t < V_PART * DV_ALL / 8u) {
        put(t / (DV_ALL / 8u) * V_PITCH + t % (DV_ALL / 8u) * 8u, x);
    }
}

@compute @workgroup_size(WG_SIZE)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(subgroup_id) sg_id: u32,
    @builtin(subgroup_invocation_id) sg_lane: u32,
) {
    let lane = sg_id * SG + sg_lane;
    // Under a causal mask the last tiles take longest: they go first.
    var rest = workgroup_index(id, count);
    let tile_index = params.tiles - 1u - rest % params.tiles;
    rest /= params.tiles;
    let split = rest % params.splits;
    rest /= params.splits;
    let groups = params.n_head / params.group;
    let first_head = rest % groups * params.group;
    let batch = rest / groups;
    if (batch >= params.batch) {
        return;
    }
    let first_row = tile_index * ROWS;
    let rows = min(ROWS, params.n_q * params.group - first_row);
    let first_key = split * params.split_keys;
    let end_key = min(first_key + params.split_keys, params.n_kv);
    let key_at = at(params.keys_view, 0u, 0u, first_head / params.k_ratio, batch);
    let value_at = at(params.values_view, 0u, 0u, first_head / params.v_ratio, batch);

    // Queries take the scale before they become f16, which makes them small.
    for (var t = lane; t < ROWS * DK_ALL / 8u; t += WG_SIZE) {
        let row = first_row + t / (DK_ALL / 8u);
        let d = t % (DK_ALL / 8u) * 8u;
        var x = Halves();
        if (row < first_row + rows && d < DK) {
            let i = at(params.query_view, 0u, row / params.group, first_head + row % params.group, batch) / 4u + d;
            x.a = vec4<f16>(vec4<f32>(query[i], query[i + 1u], query[i + 2u], query[i + 3u]) * params.scale);
            x.b = vec4<f16>(vec4<f32>(query[i + 4u], query[i + 5u], query[i + 6u], query[i + 7u]) * params.scale);
        }
        let to = t / (DK_ALL / 8u) * Q_PITCH + d;
#if QUERIES
#for j 4
        queries[to + j] = x.a[j];
        queries[to + 4u + j] = x.b[j];
#endfor
#else
        put(to, x);
#endif
    }
    if (lane == 0u) {
        atomicStore(&flags[0], 0u);
        atomicStore(&flags[1], 0u);
    }
    workgroupBarrier();
    let own_rows = sg_id / WC * (RM * MM);
    let own_column = sg_id % WC;
#if !QUERIES
    var q: array<subgroup_matrix_left<f16, MK, MM>, RM * (DK_ALL / MK)>;
#for i RM
#for e DK_ALL / MK
    q[i * (DK_ALL / MK) + e] = subgroupMatrixLoad<subgroup_matrix_left<f16, MK, MM>>(&tile, (own_rows + i * MM) * Q_PITCH + e * MK, false, Q_PITCH);
#endfor
#endfor
#endif
    var result: array<subgroup_matrix_result<f32, MN, MM>, RM * ON>;
#for i RM * ON
    result[i] = subgroup_matrix_result<f32, MN, MM>();
#endfor

    // This invocation's row in workgroup memory, and which groups of four scores of it.
    let my_row = lane / TPR;
    let my_part = lane % TPR;
    let row = first_row + min(my_row, rows - 1u);
    let head = first_head + row % params.group;
    let slope = slope_of(head);
#if MASK
    let mask_at = at(params.mask_view, 0u, row / params.group, head % params.mask_ne2, batch % params.mask_ne3);
#endif
    var most = LOWEST;
    var sum = 0.0;

#if WHOLE
    var next: array<Halves, PIECES>; // on the way to workgroup memory
    var next_key = first_key + 1u; // of the keys that are on the way
#endif
    for (var key = first_key; key < end_key; key += KEYS) {
        var bias: array<vec4<f32>, GROUPS>;
#if MASK
        var any = vec4<f32>(LOWEST);
#for g GROUPS
        {
            let n = key + (g * TPR + my_part) * 4u;
            var m = vec4<f32>(LOWEST);
#if mask_VEC
            if (n < end_key) {
                let past = vec4<u32>(n, n + 1u, n + 2u, n + 3u) >= vec4<u32>(end_key);
                m = select(mask_get4(mask_at + n * 2u), m, past);
            }
#else
#for j 4
            if (n + j < end_key) {
                m[j] = mask_get(mask_at + (n + j) * 2u);
            }
#endfor
#endif
            bias[g] = m;
            any = max(any, m);
        }
#endfor
        if (max(max(any.x, any.y), max(any.z, any.w)) > LOWEST) {
            atomicMax(&flags[0], key + 1u);
        }
        let last_open = workgroupUniformLoad(&flags[0]);
        if (last_open != key + 1u) {
            continue;
        }
#else
#for g GROUPS
        {
            let n = key + (g * TPR + my_part) * 4u;
            bias[g] = select(vec4<f32>(LOWEST), vec4<f32>(), vec4<u32>(n, n + 1u, n + 2u, n + 3u) < vec4<u32>(end_key));
        }
#endfor
#endif

        var score: array<subgroup_matrix_result<f32, MN, MM>, RM * RN>;
#for i RM * RN
        score[i] = subgroup_matrix_result<f32, MN, MM>();
#endfor
#if WHOLE
        if (next_key != key) {
#for p K_LOADS
            next[p] = stage_key(lane + p * WG_SIZE, key, end_key, key_at, 0u);
#endfor
        }
        workgroupBarrier();
#for p K_LOADS
        put_key(lane + p * WG_SIZE, next[p]);
#endfor
        workgroupBarrier();
#for p V_LOADS
        next[p] = stage_value(lane + p * WG_SIZE, key, end_key, value_at);
#endfor
#endif
#if QUERIES
        for (var d = 0u; d < DK_ALL; d += K_PART) {
#if !WHOLE
            workgroupBarrier();
            for (var t = lane; t < KEYS * K_PART / 8u; t += WG_SIZE) {
                put_key(t, stage_key(t, key, end_key, key_at, d));
            }
            workgroupBarrier();
#endif
            for (var e = 0u; e < K_PART / MK; e++) {
                var k = array<subgroup_matrix_right<f16, MN, MK>, RN>();
#for j RN
                k[j] = subgroupMatrixLoad<subgroup_matrix_right<f16, MN, MK>>(&tile, (own_column * RN + j) * MN * K_PITCH + e * MK, true, K_PITCH);
#endfor
#for i RM
                {
                    let x = subgroupMatrixLoad<subgroup_matrix_left<f16, MK, MM>>(&queries, (own_rows + i * MM) * Q_PITCH + d + e * MK, false, Q_PITCH);
#for j RN
                    score[i * RN + j] = subgroupMatrixMultiplyAccumulate(x, k[j], score[i * RN + j]);
#endfor
                }
#endfor
            }
        }
#else
#for e DK_ALL / MK
#for j RN
        {
            let k = subgroupMatrixLoad<subgroup_matrix_right<f16, MN, MK>>(&tile, (own_column * RN + j) * MN * K_PITCH + e * MK, true, K_PITCH);
#for i RM
            score[i * RN + j] = subgroupMatrixMultiplyAccumulate(q[i * (DK_ALL / MK) + e], k, score[i * RN + j]);
#endfor
        }
#endfor
#endfor
#endif
#for i RM
#for j RN
        subgroupMatrixStore(&scores, (own_rows + i * MM) * S_PITCH + (own_column * RN + j) * MN, score[i * RN + j], false, S_PITCH);
#endfor
#endfor
        workgroupBarrier();
#if WHOLE
#for p V_LOADS
        put_value(lane + p * WG_SIZE, next[p]);
#endfor
#endif

        var now = LOWEST;
#for g GROUPS
        {
            let i = my_row * S_PITCH + (g * TPR + my_part) * 4u;
            bias[g] = score_of(vec4<f32>(scores[i], scores[i + 1u], scores[i + 2u], scores[i + 3u]), bias[g], slope);
            now = max(now, max(max(bias[g].x, bias[g].y), max(bias[g].z, bias[g].w)));
        }
#endfor
        for (var distance = 1u; distance < TPR; distance *= 2u) {
            now = max(now, subgroupShuffleXor(now, distance));
        }
        var factor = 1.0;
        if (most == LOWEST) {
            most = now;
        } else if (now > most + LAG) {
            factor = exp(most - now);
            most = now;
            sum *= factor;
            atomicMax(&flags[1], key + 1u);
        }
        if (my_part == 0u) {
            factors[my_row] = factor;
        }
#for g GROUPS
        {
            let w = weights_of(bias[g], most);
            sum += (w.x + w.y) + (w.z + w.w);
            let i = my_row * W_PITCH + (g * TPR + my_part) * 4u;
#for j 4
            weights[i + j] = f16(w[j]);
#endfor
        }
#endfor
        let last_moved = workgroupUniformLoad(&flags[1]);
        if (last_moved == key + 1u) {
            let own = sg_id * MM * MN;
#for i RM
#for j ON
            subgroupMatrixStore(&scores, own, result[i * ON + j], false, MN);
            workgroupBarrier();
            for (var e = sg_lane; e < MM * MN; e += SG) {
                scores[own + e] *= factors[own_rows + i * MM + e / MN];
            }
            workgroupBarrier();
            result[i * ON + j] = subgroupMatrixLoad<subgroup_matrix_result<f32, MN, MM>>(&scores, own, false, MN);
            workgroupBarrier();
#endfor
#endfor
        }

#if WHOLE
        if (key + KEYS < end_key) {
            next_key = key + KEYS;
#for p K_LOADS
            next[p] = stage_key(lane + p * WG_SIZE, key + KEYS, end_key, key_at, 0u);
#endfor
        }
#endif
        for (var base = 0u; base < KEYS; base += V_PART) {
#if !WHOLE
            workgroupBarrier();
            for (var t = lane; t < V_PART * DV_ALL / 8u; t += WG_SIZE) {
                put_value(t, stage_value(t, key + base, end_key, value_at));
            }
            workgroupBarrier();
#endif
            for (var e = 0u; e < V_PART / MK; e++) {
                var w = array<subgroup_matrix_left<f16, MK, MM>, RM>();
#for i RM
                w[i] = subgroupMatrixLoad<subgroup_matrix_left<f16, MK, MM>>(&weights, (own_rows + i * MM) * W_PITCH + base + e * MK, false, W_PITCH);
#endfor
#for j ON
                {
                    let x = subgroupMatrixLoad<subgroup_matrix_right<f16, MN, MK>>(&tile, e * MK * V_PITCH + (own_column * ON + j) * MN, false, V_PITCH);
#for i RM
                    result[i * ON + j] = subgroupMatrixMultiplyAccumulate(w[i], x, result[i * ON + j]);
#endfor
                }
#endfor
            }
        }
    }

    for (var distance = 1u; distance < TPR; distance *= 2u) {
        sum += subgroupShuffleXor(sum, distance);
    }
    if (my_part == 0u) {
#if PARTS
        factors[my_row] = 1.0;
        if (my_row < rows) {
            let number = ((batch * params.n_head + head) * params.n_q + row / params.group) * params.splits + split;
            let to = params.part_offset / 4u + params.part_rows * DV + number * 2u;
            part[to] = most;
            part[to + 1u] = sum;
        }
#else
        var factor = 1.0;
#if SINKS
        let sink = sinks[params.sinks_offset / 4u + head];
        let highest = max(most, sink);
        factor = exp(most - highest);
        sum = sum * factor + exp(sink - highest);
#endif
        factors[my_row] = select(factor / sum, 0.0, sum == 0.0);
#endif
    }
    workgroupBarrier();
    let own = sg_id * MM * MN;
#for i RM
#for j ON
    subgroupMatrixStore(&scores, own, result[i * ON + j], false, MN);
    workgroupBarrier();
    for (var e = sg_lane; e < MM * MN; e += SG) {
        let in_tile = own_rows + i * MM + e / MN;
        let d = (own_column * ON + j) * MN + e % MN;
        if (in_tile < rows && d < DV) {
            let r = first_row + in_tile;
            let h = first_head + r % params.group;
            let x = scores[own + e] * factors[in_tile];
#if PARTS
            part[params.part_offset / 4u + (((batch * params.n_head + h) * params.n_q + r / params.group) * params.splits + split) * DV + d] = x;
#else
            dst[at(params.dst_view, 0u, h, r / params.group, batch) / 4u + d] = x;
#endif
        }
    }
    workgroupBarrier();
#endfor
#endfor
}
