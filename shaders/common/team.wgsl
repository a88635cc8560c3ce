// Teams of TEAM neighbouring invocations (a power of two) that share a vector of `length` elements: the invocation that is `part` of
// its team holds the EACH elements `part + TEAM * i`. PADDED: the last of them may lie behind the end. `main` takes TEAM_BUILTINS
// after its own parameters and begins with TEAM_START, which says what `lane` is.
override wg_size: u32;
override length: u32;

// Where its i-th element lies; the last element in place of one behind the end.
fn element(part: u32, i: u32) -> u32 {
#if PADDED
    return min(part + TEAM * i, length - 1u);
#else
    return part + TEAM * i;
#endif
}

// Whether there is an i-th element.
fn has_element(part: u32, i: u32) -> bool {
#if PADDED
    return part + TEAM * i < length;
#else
    return true;
#endif
}

// A value that belongs to the i-th element, 0 if there is none.
fn if_element(part: u32, i: u32, value: f32) -> f32 {
#if PADDED
    return select(0.0, value, has_element(part, i));
#else
    return value;
#endif
}

// The sum of a value over the team, for each of its invocations. Every invocation of the workgroup must call.
#if SUBGROUPS
#define TEAM_BUILTINS @builtin(subgroup_id) sg_id: u32, @builtin(subgroup_invocation_id) sg_lane: u32, @builtin(subgroup_size) sg_size: u32
#define TEAM_START let lane = sg_id * sg_size + sg_lane;
fn team_sum(value: f32) -> f32 {
    var sum = value;
    for (var half = TEAM / 2u; half > 0u; half /= 2u) {
        sum += subgroupShuffleXor(sum, half);
    }
    return sum;
}
#else
#define TEAM_BUILTINS @builtin(local_invocation_index) lane: u32
#define TEAM_START team_lane = lane;
var<private> team_lane: u32;
// Two places in turn, so that one barrier keeps a sum from those before and behind it.
var<private> team_turn: u32;
var<workgroup> team_parts: array<f32, 2u * wg_size>;
fn team_sum(value: f32) -> f32 {
#if TEAM == 1
    return value;
#else
    team_turn ^= wg_size;
    team_parts[team_turn + team_lane] = value;
    workgroupBarrier();
    let first = team_turn + team_lane / TEAM * TEAM;
    var sum = 0.0;
    for (var i = 0u; i < TEAM; i++) {
        sum += team_parts[first + i];
    }
    return sum;
#endif
}
#endif
