// The function of a gated linear unit, chosen by GATE. (The GLU room's shader has all forms; these are the ones without parameters.)
fn gate(x: f32) -> f32 {
#if GATE == swiglu
    return x / (1.0 + exp(-x));
#elif GATE == geglu
    // tanh saturates long before its argument overflows exp.
    let inner = clamp(0.7978845608028654 * x * (1.0 + 0.044715 * x * x), -20.0, 20.0);
    return 0.5 * x * (1.0 + tanh(inner));
#elif GATE == geglu_quick
    return x / (1.0 + exp(-1.702 * x));
#else
    return max(x, 0.0);
#endif
}
