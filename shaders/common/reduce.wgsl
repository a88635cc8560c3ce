// Sums and maxima over a workgroup of `wg_size` invocations (a power of two); every invocation gets the result and must call.
// `main` takes REDUCE_BUILTINS after its own parameters and begins with REDUCE_START.
#if SUBGROUPS
#define REDUCE_BUILTINS @builtin(subgroup_id) sg_id: u32, @builtin(subgroup_invocation_id) sg_lane: u32, @builtin(num_subgroups) sg_count: u32
#define REDUCE_START reduce_id = sg_id; reduce_lane = sg_lane; reduce_count = sg_count;
var<private> reduce_id: u32;
var<private> reduce_lane: u32;
var<private> reduce_count: u32;
#else
#define REDUCE_BUILTINS @builtin(local_invocation_id) reduce_id: vec3<u32>
#define REDUCE_START reduce_lane = reduce_id.x;
var<private> reduce_lane: u32;
#endif
var<workgroup> reduce_parts: array<f32, wg_size>;

fn reduce_add(value: f32) -> f32 {
#if SUBGROUPS
    let own = subgroupAdd(value);
    workgroupBarrier();
    if (reduce_lane == 0u) {
        reduce_parts[reduce_id] = own;
    }
    workgroupBarrier();
    var all = 0.0;
    for (var i = 0u; i < reduce_count; i++) {
        all += reduce_parts[i];
    }
    return all;
#else
    workgroupBarrier();
    reduce_parts[reduce_lane] = value;
    workgroupBarrier();
    for (var half = wg_size / 2u; half > 0u; half /= 2u) {
        if (reduce_lane < half) {
            reduce_parts[reduce_lane] += reduce_parts[reduce_lane + half];
        }
        workgroupBarrier();
    }
    return reduce_parts[0];
#endif
}

fn reduce_max(value: f32) -> f32 {
#if SUBGROUPS
    let own = subgroupMax(value);
    workgroupBarrier();
    if (reduce_lane == 0u) {
        reduce_parts[reduce_id] = own;
    }
    workgroupBarrier();
    var all = reduce_parts[0];
    for (var i = 1u; i < reduce_count; i++) {
        all = max(all, reduce_parts[i]);
    }
    return all;
#else
    workgroupBarrier();
    reduce_parts[reduce_lane] = value;
    workgroupBarrier();
    for (var half = wg_size / 2u; half > 0u; half /= 2u) {
        if (reduce_lane < half) {
            reduce_parts[reduce_lane] = max(reduce_parts[reduce_lane], reduce_parts[reduce_lane + half]);
        }
        workgroupBarrier();
    }
    return reduce_parts[0];
#endif
}
