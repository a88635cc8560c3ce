// FLASH_ATTN_EXT for few rows of queries: one workgroup takes ROWS rows that share their keys (a row is a query of one head), and
// each of its SUBGROUP_COUNT subgroups of SG invocations goes through keys of its own, so that the loop over keys has no
// barrier. Four invocations share a key: each multiplies every fourth piece of 16 elements, for KEYS keys at a time. Then VL
// invocations share a value, each with pieces of 16 of the result, SLOTS of them.
// K_TYPE, V_TYPE: the types. DK, DV: lengths, multiples of 16. MASK, SINKS: there are such sources. ONE_MASK: one row of the mask
// serves all rows.
// PARTS: results go to scratch memory, unscaled and with their maxima and sums, for flash_attn/combine.
diagnostic(off, subgroup_uniformity);
#import flash_attn/sources

#define WG_SIZE (SG * SUBGROUP_COUNT)
#define BLOCK (SG / 4u * KEYS) // keys of a subgroup's step
#define K_PIECES (DK / 16u)
#define V_PIECES (DV / 16u)
#define STEP (SG / VL) // values at a time
var<workgroup> shared_words: array<vec4<f32>, SHARED_WORDS>; // the queries, later the results of the subgroups
var<workgroup> notes: array<vec2<f32>, SUBGROUP_COUNT * ROWS>; // their maxima and sums

#if SUBGROUP_SIZE
@compute @workgroup_size(WG_SIZE) @subgroup_size(SG)
#else
@compute @workgroup_size(WG_SIZE)
#endif
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(subgroup_id) sg_id: u32,
    @builtin(subgroup_invocation_id) sg_lane: u32,
) {
    let lane = sg_id * SG + sg_lane;
    var rest = workgroup_index(id, count);
    let first_row = rest % params.tiles * ROWS;
    rest /= params.tiles;
    let groups = params.n_head / params.group;
    let first_head = rest % groups * params.group;
    rest /= groups;
    let split = rest % params.splits;
    let batch = rest / params.splits;
    if (batch >= params.batch) {
        return;
    }
    let last_row = params.n_q * params.group - 1u;
    let first_key = split * params.split_keys;
    let end_key = min(first_key + params.split_keys, params.n_kv);
    let key_at = at(params.keys_view, 0u, 0u, first_head / params.k_ratio, batch);
    let value_at = at(params.values_view, 0u, 0u, first_head / params.v_ratio, batch);

    for (var t = lane; t < ROWS * DK / 4u; t += WG_SIZE) {
        let row = min(first_row + t / (DK / 4u), last_row);
        let i = at(params.query_view, 0u, row / params.group, first_head + row % params.group, batch) / 4u + t % (DK / 4u) * 4u;
        shared_words[t] = vec4<f32>(query[i], query[i + 1u], query[i + 2u], query[i + 3u]) * params.scale;
    }
    var slope: array<f32, ROWS>;
    var mask_at: array<u32, ROWS>;
    var most: array<f32, ROWS>;
    var sum: array<f32, ROWS>;
    var result: array<vec4<f32>, ROWS * SLOTS * 4>;
#for r ROWS
    {
        let row = min(first_row + r, last_row);
        let head = first_head + row % params.group;
        slope[r] = slope_of(head);
#if MASK
        mask_at[r] = at(params.mask_view, 0u, row / params.group, head % params.mask_ne2, batch % params.mask_ne3);
#endif
        most[r] = LOWEST;
        sum[r] = 0.0;
#for s SLOTS * 4
        {
            result[r * SLOTS * 4u + s] = vec4<f32>();
        }
#endfor
    }
#endfor
    workgroupBarrier();

    for (var block = first_key + sg_id * BLOCK; block < end_key; block += SUBGROUP_COUNT * BLOCK) {
        // Behind the end the last key is read again, and closed by its bias.
        var bias: array<f32, KEYS * ROWS>;
        var start: array<u32, KEYS>;
#if MASK
        var any = LOWEST;
#endif
#for u KEYS
        {
            let key = block + u * (SG / 4u) + sg_lane / 4u;
            let clamped = min(key, end_key - 1u);
            start[u] = key_at + clamped * params.keys_view.nb1;
#if MASK && ONE_MASK
            let m = select(LOWEST, mask_get(mask_at[0] + clamped * 2u), key < end_key);
            any = max(any, m);
#for r ROWS
            {
                bias[u * ROWS + r] = m;
            }
#endfor
#elif MASK
#for r ROWS
            {
                let m = select(LOWEST, mask_get(mask_at[r] + clamped * 2u), key < end_key);
                any = max(any, m);
                bias[u * ROWS + r] = m;
            }
#endfor
#else
#for r ROWS
            {
                bias[u * ROWS + r] = select(LOWEST, 0.0, key < end_key);
            }
#endfor
#endif
        }
#endfor
#if MASK
        if (!subgroupAny(any > LOWEST)) {
            continue;
        }
#endif

        var score: array<f32, KEYS * ROWS>;
#for u KEYS * ROWS
        {
            score[u] = 0.0;
        }
#endfor
        for (var c = 0u; c < K_PIECES; c += 4u) {
            let piece = c + sg_lane % 4u;
            if (K_PIECES % 4u == 0u || piece < K_PIECES) {
                var k: array<array<vec4<f32>, 4>, KEYS>;
#for u KEYS
                {
                    k[u] = k_load16(start[u], piece * 16u);
                }
#endfor
#for r ROWS
                {
#for e 4
                    {
                        let x = shared_words[r * (DK / 4u) + piece * 4u + e];
#for u KEYS
                        {
                            score[u * ROWS + r] += dot(x, k[u][e]);
                        }
#endfor
                    }
#endfor
                }
#endfor
            }
        }
#for r ROWS
        {
            var now = LOWEST;
#for u KEYS
            {
                var s = score[u * ROWS + r];
                s += subgroupShuffleXor(s, 1u);
                s += subgroupShuffleXor(s, 2u);
                s = score_of(vec4<f32>(s), vec4<f32>(bias[u * ROWS + r]), slope[r]).x;
                score[u * ROWS + r] = s;
                now = max(now, s);
            }
#endfor
            for (var distance = 4u; distance < SG; distance *= 2u) {
                now = max(now, subgroupShuffleXor(now, distance));
            }
            now = max(now, most[r]);
            let fade = exp(most[r] - now);
            most[r] = now;
            sum[r] *= fade;
#for u KEYS
            {
                let w = weights_of(vec4<f32>(score[u * ROWS + r]), now).x;
                score[u * ROWS + r] = w;
                sum[r] += w;
            }
#endfor
#for s SLOTS * 4
            {
                result[r * SLOTS * 4u + s] *= fade;
            }
#endfor
        }
#endfor

#for u KEYS
        {
#for t VL / 4
            {
                let place = t * STEP + sg_lane / VL;
                var weight: array<f32, ROWS>;
#for r ROWS
                {
                    weight[r] = subgroupShuffle(score[u * ROWS + r], place * 4u);
                }
#endfor
                let value = value_at + min(block + u * (SG / 4u) + place, end_key - 1u) * params.values_view.nb1;
#for s SLOTS
                {
                    let x = v_load16(value, min(s * VL + sg_lane % VL, V_PIECES - 1u) * 16u);
#for r ROWS
                    {
#for e 4
                        {
                            result[(r * SLOTS + s) * 4u + e] += weight[r] * x[e];
                        }
#endfor
                    }
#endfor
                }
#endfor
            }
#endfor
        }
#endfor
    }

    // Joins the invocations that took other values, then the subgroups.
#for r ROWS
    {
        for (var distance = 4u; distance < SG; distance *= 2u) {
            sum[r] += subgroupShuffleXor(sum[r], distance);
        }
        for (var distance = VL; distance < SG; distance *= 2u) {
#for s SLOTS * 4
            {
                result[r * SLOTS * 4u + s] += subgroupShuffleXor(result[r * SLOTS * 4u + s], distance);
            }
#endfor
        }
        if (sg_lane == 0u) {
            notes[sg_id * ROWS + r] = vec2<f32>(most[r], sum[r]);
        }
    }
#endfor
#for r ROWS
    {
        workgroupBarrier();
        var now = notes[r].x;
        for (var i = 1u; i < SUBGROUP_COUNT; i++) {
            now = max(now, notes[i * ROWS + r].x);
        }
        var total = 0.0;
        for (var i = 0u; i < SUBGROUP_COUNT; i++) {
            total += notes[i * ROWS + r].y * exp(notes[i * ROWS + r].x - now);
        }
        let fade = exp(most[r] - now);
#for s SLOTS
        {
            let piece = s * VL + sg_lane;
            if (sg_lane < VL && piece < V_PIECES) {
#for e 4
                {
                    shared_words[sg_id * (DV / 4u) + piece * 4u + e] = result[(r * SLOTS + s) * 4u + e] * fade;
                }
#endfor
            }
        }
#endfor
        workgroupBarrier();
        let row = first_row + r;
        if (row <= last_row) {
            let head = first_head + row % params.group;
            let n = row / params.group;
#if PARTS
            let number = ((batch * params.n_head + head) * params.n_q + n) * params.splits + split;
            let to = params.part_offset / 4u + number * DV;
            if (lane == 0u) {
                let at_notes = params.part_offset / 4u + params.part_rows * DV + number * 2u;
                part[at_notes] = now;
                part[at_notes + 1u] = total;
            }
            let factor = 1.0;
#else
            let to = at(params.dst_view, 0u, head, n, batch) / 4u;
            var factor = 1.0;
#if SINKS
            let sink = sinks[params.sinks_offset / 4u + head];
            let highest = max(now, sink);
            factor = exp(now - highest);
            total = total * factor + exp(sink - highest);
#endif
            factor = select(factor / total, 0.0, total == 0.0);
#endif
            for (var d = lane; d < DV; d += WG_SIZE) {
                var x = 0.0;
                for (var i = 0u; i < SUBGROUP_COUNT; i++) {
                    x += shared_words[i * (DV / 4u) + d / 4u][d % 4u];
                }
#if PARTS
                part[to + d] = x;
#else
                dst[to + d] = x * factor;
#endif
            }
        }
    }
#endfor
}
