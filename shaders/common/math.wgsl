// Functions of one number that WGSL lacks, or whose built-in form is too coarse or overflows: finite wherever C's are.

fn tanh_(x: f32) -> f32 {
    let a = abs(x);
    if (a < 0.25) {
        let s = x * x;
        return x + x * s * (-1.0 / 3.0 + s * (2.0 / 15.0 + s * (-17.0 / 315.0 + s * (62.0 / 2835.0))));
    }
    let y = 1.0 - 2.0 / (exp(2.0 * a) + 1.0);
    return select(y, -y, x < 0.0);
}

// exp(x) - 1 without loss near 0.
fn expm1_(x: f32) -> f32 {
    if (abs(x) < 0.35) {
        return x * (1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0 * (1.0 + x / 5.0 * (1.0 + x / 6.0)))));
    }
    return exp(x) - 1.0;
}

// 1 - erf(x); the polynomial is a fit of exp(z * z) * erfc(z) with a relative error of 4e-8.
fn erfc_(x: f32) -> f32 {
    let z = abs(x);
    let t = 1.0 / (1.0 + 0.36 * z);
    var p = 0.03830033114;
    p = p * t - 0.1448407068;
    p = p * t + 0.1488230487;
    p = p * t - 0.03412799539;
    p = p * t + 0.1097908449;
    p = p * t + 0.1217678593;
    p = p * t + 0.1641498102;
    p = p * t + 0.1899198565;
    p = p * t + 0.2031087439;
    p = p * t + 0.2031082488;
    let y = exp(-z * z) * t * p;
    return select(y, 2.0 - y, x < 0.0);
}

// The sine of x plus quarter turns.
fn sin_quarters(x: f32, quarters: i32) -> f32 {
    let turns = round(x * 0.636619772);
    // Half of pi in three parts, of which the first two times a number of turns are exact.
    let r = ((x - turns * (201.0 / 128.0)) - turns * (2029.0 / 4194304.0)) - turns * 7.5497899549e-8;
    let s = r * r;
    let odd = r + r * s * (-1.0 / 6.0 + s * (1.0 / 120.0 + s * (-1.0 / 5040.0 + s / 362880.0)));
    let even = 1.0 + s * (-0.5 + s * (1.0 / 24.0 + s * (-1.0 / 720.0 + s / 40320.0)));
    let q = i32(turns) + quarters;
    let y = select(odd, even, (q & 1) != 0);
    return select(y, -y, (q & 2) != 0);
}

// The built-in sine may be off by 5e-4, and by more outside of a turn. Beyond 1e5 neighbouring floats are a part of a turn apart.
fn sin_(x: f32) -> f32 {
    if (abs(x) > 1e5) {
        return sin(x);
    }
    return sin_quarters(x, 0);
}

fn cos_(x: f32) -> f32 {
    if (abs(x) > 1e5) {
        return cos(x);
    }
    return sin_quarters(x, 1);
}

fn sigmoid(x: f32) -> f32 {
    return 1.0 / (1.0 + exp(-x));
}

fn silu(x: f32) -> f32 {
    return x / (1.0 + exp(-x));
}

// x / 2 * (1 + tanh(u)) is x * sigmoid(2 u).
fn gelu(x: f32) -> f32 {
    if (x <= -10.0) {
        return 0.0;
    }
    return x / (1.0 + exp(-1.5957691216 * x * (1.0 + 0.044715 * x * x)));
}

fn gelu_erf(x: f32) -> f32 {
    return 0.5 * x * erfc_(-0.70710678119 * x);
}

fn gelu_quick(x: f32) -> f32 {
    return x / (1.0 + exp(-1.702 * x));
}
