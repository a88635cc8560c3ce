// FLASH_ATTN_EXT in tiles, with nothing but core WebGPU: one workgroup takes ROWS rows of queries and goes through the keys, KEYS
// at a time, with the softmax kept up online. A row is a query of one head; the heads that share keys and values lie side by side
// in one tile. Invocations stand in TY rows of 8: each has ROWS / TY rows of the tile, 4 of its keys, and of the result every
// 8th group of four, SLOTS of them.
// K_TYPE, V_TYPE: the types. RAGGED: rows that groups of four don't fill. MASK, SINKS: there are such sources.
// PARTS: results go to scratch memory, unscaled and with their maxima and sums, for flash_attn/combine.
#import flash_attn/sources

// Rows of 8 groups of four are padded to 9, so that neighbours lie in different banks.
#define PITCH 9u
#define COLUMNS (SLOTS * 8)
var<workgroup> tile: array<vec4<f32>, TILE_WORDS>; // queries and keys, or values
var<workgroup> weights: array<vec4<f32>, ROWS * 9>;
var<workgroup> highest: array<f32, ROWS * 9>; // of the 8 invocations that share a row
var<workgroup> row_at: array<u32, ROWS>;
var<workgroup> open: atomic<u32>; // 1 + the last key of a tile that some row sees

fn load_query(row: u32, d: u32) -> vec4<f32> {
    var x = vec4<f32>();
    let i = (row >> 2u) + d;
#if RAGGED
    for (var j = 0u; j < min(4u, params.dk - d); j++) {
        x[j] = query[i + j];
    }
#else
    x = vec4<f32>(query[i], query[i + 1u], query[i + 2u], query[i + 3u]);
#endif
    return x;
}

fn load_key(row: u32, d: u32) -> vec4<f32> {
#if RAGGED
    var x = vec4<f32>();
    for (var j = 0u; j < min(4u, params.dk - d); j++) {
        x[j] = k_get(row + (d + j) * K_BYTES);
    }
    return x;
#else
    return k_row4(row, d);
#endif
}

fn load_value(row: u32, d: u32) -> vec4<f32> {
#if RAGGED
    var x = vec4<f32>();
    for (var j = 0u; j < min(4u, params.dv - d); j++) {
        x[j] = v_get(row + (d + j) * V_BYTES);
    }
    return x;
#else
    return v_row4(row, d);
#endif
}

@compute @workgroup_size(TY * 8)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let tx = lane % 8u;
    let ty = lane / 8u;
    // Under a causal mask the last tiles take longest: they go first.
    var rest = workgroup_index(id, count);
    let tile_index = params.tiles - 1u - rest % params.tiles;
    rest /= params.tiles;
    let split = rest % params.splits;
    rest /= params.splits;
    let piece = rest % params.pieces;
    rest /= params.pieces;
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
    let first_column = piece * COLUMNS;
    let columns = (params.dv + 3u) / 4u;

    if (lane < ROWS) {
        let row = first_row + min(lane, rows - 1u);
        row_at[lane] = at(params.query_view, 0u, row / params.group, first_head + row % params.group, batch);
    }
    if (lane == 0u) {
        atomicStore(&open, 0u);
    }
    workgroupBarrier();
    let key_at = at(params.keys_view, 0u, 0u, first_head / params.k_ratio, batch);
    let value_at = at(params.values_view, 0u, 0u, first_head / params.v_ratio, batch);

    var mask_at: array<u32, OWN>;
    var slope: array<f32, OWN>;
    var most: array<f32, OWN>;
    var sum: array<f32, OWN>;
    var result: array<vec4<f32>, OWN * SLOTS>;
#for i OWN
    {
        let row = first_row + min(ty + i * TY, rows - 1u);
        let head = first_head + row % params.group;
        slope[i] = slope_of(head);
#if MASK
        mask_at[i] = at(params.mask_view, 0u, row / params.group, head % params.mask_ne2, batch % params.mask_ne3);
#endif
        most[i] = LOWEST;
        sum[i] = 0.0;
#for s SLOTS
        {
            result[i * SLOTS + s] = vec4<f32>();
        }
#endfor
    }
#endfor

    for (var key = first_key; key < end_key; key += KEYS) {
        // Keys 4 tx to 4 tx + 3 of the tile are this invocation's.
        let mine = key + tx * 4u;
        var bias: array<vec4<f32>, OWN>;
#if MASK
        var any = LOWEST;
#for i OWN
        {
            var m = vec4<f32>(LOWEST);
#for j 4
            if (mine + j < end_key && ty + i * TY < rows) {
                m[j] = mask_get(mask_at[i] + (mine + j) * 2u);
            }
#endfor
            bias[i] = m;
            any = max(any, max(max(m.x, m.y), max(m.z, m.w)));
        }
#endfor
        if (any > LOWEST) {
            atomicMax(&open, key + 1u);
        }
        workgroupBarrier();
        let last_open = workgroupUniformLoad(&open);
        if (last_open != key + 1u) {
            continue;
        }
#else
#for i OWN
        {
            bias[i] = select(vec4<f32>(LOWEST), vec4<f32>(), vec4<u32>(mine) + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(end_key));
        }
#endfor
#endif

        // Products of queries and keys, 32 of their elements at a time.
        var score: array<vec4<f32>, OWN>;
#for i OWN
        {
            score[i] = vec4<f32>();
        }
#endfor
        for (var d = 0u; d < params.dk; d += 32u) {
            workgroupBarrier();
            for (var t = lane; t < ROWS * 8; t += TY * 8) {
                var x = vec4<f32>();
                if (d + t % 8u * 4u < params.dk) {
                    x = load_query(row_at[t / 8u], d + t % 8u * 4u) * params.scale;
                }
                tile[t / 8u * PITCH + t % 8u] = x;
            }
            for (var t = lane; t < KEYS * 8; t += TY * 8) {
                // In an order that puts the four keys of one invocation 8 places apart.
                let place = t / 8u;
                let n = key + place % 8u * 4u + place / 8u;
                var x = vec4<f32>();
                if (n < end_key && d + t % 8u * 4u < params.dk) {
                    x = load_key(key_at + n * params.keys_view.nb1, d + t % 8u * 4u);
                }
                tile[ROWS * PITCH + place * PITCH + t % 8u] = x;
            }
            workgroupBarrier();
            let steps = min(8u, (params.dk - d + 3u) / 4u);
            for (var e = 0u; e < steps; e++) {
                let k0 = tile[(ROWS + tx) * PITCH + e];
                let k1 = tile[(ROWS + 8u + tx) * PITCH + e];
                let k2 = tile[(ROWS + 16u + tx) * PITCH + e];
                let k3 = tile[(ROWS + 24u + tx) * PITCH + e];
#for i OWN
                {
                    let x = tile[(ty + i * TY) * PITCH + e];
                    score[i] += vec4<f32>(dot(x, k0), dot(x, k1), dot(x, k2), dot(x, k3));
                }
#endfor
            }
        }

#for i OWN
        {
            score[i] = score_of(score[i], bias[i], slope[i]);
            let s = score[i];
            highest[(ty + i * TY) * PITCH + tx] = max(max(s.x, s.y), max(s.z, s.w));
        }
#endfor
        workgroupBarrier();
#for i OWN
        {
            let row = ty + i * TY;
            var now = most[i];
#for j 8
            now = max(now, highest[row * PITCH + j]);
#endfor
            let w = weights_of(score[i], now);
            let fade = exp(most[i] - now);
            weights[row * PITCH + tx] = w;
            sum[i] = sum[i] * fade + (w.x + w.y) + (w.z + w.w);
            most[i] = now;
#for s SLOTS
            {
                result[i * SLOTS + s] *= fade;
            }
#endfor
        }
#endfor

        // The result grows by weights times values, VALUES keys at a time.
        let ends = min(KEYS, end_key - key);
        for (var base = 0u; base < ends; base += VALUES) {
            workgroupBarrier();
            for (var t = lane; t < VALUES * COLUMNS; t += TY * 8) {
                let n = base + t / COLUMNS;
                let c = first_column + t % COLUMNS;
                var x = vec4<f32>();
                if (n < ends && c < columns) {
                    x = load_value(value_at + (key + n) * params.values_view.nb1, c * 4u);
                }
                tile[t] = x;
            }
            workgroupBarrier();
            for (var n = 0u; n < VALUES; n += 4u) {
                var w: array<vec4<f32>, OWN>;
#for i OWN
                {
                    w[i] = weights[(ty + i * TY) * PITCH + (base + n) / 4u];
                }
#endfor
#for s SLOTS
                {
                    let column = n * COLUMNS + s * 8u + tx;
                    let v0 = tile[column];
                    let v1 = tile[column + COLUMNS];
                    let v2 = tile[column + 2u * COLUMNS];
                    let v3 = tile[column + 3u * COLUMNS];
#for i OWN
                    {
                        result[i * SLOTS + s] += w[i].x * v0 + w[i].y * v1 + w[i].z * v2 + w[i].w * v3;
                    }
#endfor
                }
#endfor
            }
        }
    }

    workgroupBarrier();
#for i OWN
    {
        highest[(ty + i * TY) * PITCH + tx] = sum[i];
    }
#endfor
    workgroupBarrier();
#for i OWN
    {
        let in_tile = ty + i * TY;
        if (in_tile < rows) {
        let row = first_row + in_tile;
        let n = row / params.group;
        let head = first_head + row % params.group;
        var total = 0.0;
#for j 8
        total += highest[in_tile * PITCH + j];
#endfor
#if PARTS
        let number = ((batch * params.n_head + head) * params.n_q + n) * params.splits + split;
        let to = params.part_offset / 4u + number * params.dv;
        if (tx == 0u && piece == 0u) {
            let notes = params.part_offset / 4u + params.part_rows * params.dv + number * 2u;
            part[notes] = most[i];
            part[notes + 1u] = total;
        }
        let factor = 1.0;
#else
        let to = at(params.dst_view, 0u, head, n, batch) / 4u;
        var factor = 1.0;
#if SINKS
        let sink = sinks[params.sinks_offset / 4u + head];
        let now = max(most[i], sink);
        factor = exp(most[i] - now);
        total = total * factor + exp(sink - now);
#endif
        factor = select(factor / total, 0.0, total == 0.0);
#endif
#for s SLOTS
        {
            let d = (first_column + s * 8u + tx) * 4u;
            let x = result[i * SLOTS + s] * factor;
#for j 4
                if (d + j < params.dv) {
#if PARTS
                    part[to + d + j] = x[j];
#else
                    dst[to + d + j] = x[j];
#endif
                }
#endfor
        }
#endfor
        }
    }
#endfor
}
