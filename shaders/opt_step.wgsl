// OPT_STEP_ADAMW (ADAMW) and OPT_STEP_SGD: new weights from a gradient, in place, and for ADAMW new means of it and of its square.
// `own` holds the op's numbers.
#import common/grid
#import common/view
struct Params {
    count: u32, // weights
    ne0: u32,
    ne1: u32,
    ne2: u32,
    own_offset: u32,
    weight_view: View,
    grad_view: View,
    mean_view: View,
    square_view: View,
}
#params
#define weight_WRITE 1
#define mean_WRITE 1
#define square_WRITE 1
#bind weight: array<f32>
#bind grad: array<f32>
#bind own: array<f32>
#import common/types/f32 q_=weight_ Q=weight
#import common/types/f32 q_=grad_ Q=grad
#import common/types/f32 q_=own_ Q=own
#if ADAMW
#bind mean: array<f32>
#bind square: array<f32>
#import common/types/f32 q_=mean_ Q=mean
#import common/types/f32 q_=square_ Q=square
#endif
override wg_size: u32;

fn number(i: u32) -> f32 {
    return own_get(params.own_offset + 4u * i);
}

@compute @workgroup_size(wg_size)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) count: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let i = workgroup_index(id, count) * wg_size + lane;
    if (i >= params.count) {
        return;
    }
    let row = i / params.ne0;
    let plane = row / params.ne1;
    let i0 = i % params.ne0;
    let i1 = row % params.ne1;
    let i2 = plane % params.ne2;
    let i3 = plane / params.ne2;
    let to = at(params.weight_view, i0, i1, i2, i3);
    let weight_now = weight_get(to);
    let g = grad_get(at(params.grad_view, i0, i1, i2, i3));
    let rate = number(0u);
#if ADAMW
    let at_mean = at(params.mean_view, i0, i1, i2, i3);
    let at_square = at(params.square_view, i0, i1, i2, i3);
    let m = mean_get(at_mean) * number(1u) + g * (1.0 - number(1u));
    let v = square_get(at_square) * number(2u) + g * g * (1.0 - number(2u));
    mean_put(at_mean, m);
    square_put(at_square, v);
    let change = m * number(5u) / (sqrt(v * number(6u)) + number(3u));
    let decay = number(4u);
#else
    let change = g;
    let decay = number(1u);
#endif
    weight_put(to, weight_now * (1.0 - rate * decay) - rate * change);
}
