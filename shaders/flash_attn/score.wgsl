// From a product of query and key to a score and a weight, for the kernels of this folder; they give it their params.

// Stands for -inf, so that no difference of two infinities can arise: exp(LOWEST - LOWEST) is 1, exp(LOWEST - x) is 0.
const LOWEST: f32 = -3.0e38;

// ALiBi's slope of a head; 1 without ALiBi.
fn slope_of(head: u32) -> f32 {
    let below = params.alibi_0 * f32(head + 1u);
    let above = params.alibi_1 * f32(2u * (head - params.alibi_heads) + 1u);
    return exp2(select(above, below, head < params.alibi_heads));
}

// Four scores from products with queries that were scaled. A bias of LOWEST or below closes a key.
fn score_of(product: vec4<f32>, bias: vec4<f32>, slope: f32) -> vec4<f32> {
    var s = product;
    if (params.softcap != 0.0) {
        // Far out tanh is 1, but drivers may divide infinities there.
        s = params.softcap * tanh(clamp(s, vec4<f32>(-20.0), vec4<f32>(20.0)));
    }
    return select(s + slope * bias, vec4<f32>(LOWEST), bias <= vec4<f32>(LOWEST));
}

fn weights_of(score: vec4<f32>, most: f32) -> vec4<f32> {
    return select(exp(score - most), vec4<f32>(), score <= vec4<f32>(LOWEST));
}
