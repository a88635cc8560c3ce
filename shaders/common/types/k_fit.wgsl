// Encoding of the groups of the K types: which scale (and minimum) serves some elements best. x: the 256 elements of a block; a group
// begins at vector `start`. Sums run in the order of the elements: a search that adds in another order may settle elsewhere than the
// CPU's.
// For values 0 to `top` with a minimum that is not positive: the scale, and the minimum without its sign. Elements weigh `weight` plus their
// size. From the plain fit and `steps` + 1 others, whose range is larger by `shift` and multiples of 0.1, the one with the least error
// (its square, or its size if LINEAR) after both numbers were fitted to the values.
fn k_fit(x: ptr<function, array<vec4<f32>, 64>>, start: u32, vectors: u32, top: f32, weight: f32, shift: f32, steps: i32, linear: bool) -> vec2<f32> {
    var low4 = (*x)[start];
    var high4 = low4;
    var sum_w = 0.0;
    var sum_x = 0.0;
    for (var k = start; k < start + vectors; k++) {
        let v = (*x)[k];
        let w = exact4(abs(v) + weight);
        low4 = min(low4, v);
        high4 = max(high4, v);
        sum_w = add_exact4(sum_w, w);
        sum_x = add_exact4(sum_x, w * v);
    }
    var low = min(min(min(low4.x, low4.y), min(low4.z, low4.w)), 0.0);
    let high = max(max(high4.x, high4.y), max(high4.z, high4.w));
    if (high == low) {
        return vec2<f32>(0.0, -low);
    }
    var scale = quotient(1.0, quotient(top, high - low));
    var least = 0.0;
    for (var t = -1; t <= steps; t++) {
        // The first round only finds the error of the plain fit.
        let inverse = quotient(select(exact(shift + exact(0.1 * f32(t))), 0.0, t < 0) + top, high - low);
        var l = 0.0;
        var l2 = 0.0;
        var xl = 0.0;
        for (var k = start; k < start + vectors; k++) {
            let v = (*x)[k];
            let w = exact4(abs(v) + weight);
            let q = clamp(round(exact4(exact4(v - low) * inverse)), vec4<f32>(0.0), vec4<f32>(top));
            l = add_exact4(l, w * q);
            l2 = add_exact4(l2, exact4(w * q) * q);
            xl = add_exact4(xl, exact4(w * q) * v);
        }
        var new_scale = scale;
        var new_low = low;
        let determinant = exact(sum_w * l2) - exact(l * l);
        if (t >= 0) {
            if (determinant <= 0.0) {
                continue;
            }
            new_scale = quotient(exact(sum_w * xl) - exact(sum_x * l), determinant);
            new_low = quotient(exact(l2 * sum_x) - exact(l * xl), determinant);
            if (new_low > 0.0) {
                new_low = 0.0;
                new_scale = quotient(xl, l2);
            }
        }
        var error = 0.0;
        for (var k = start; k < start + vectors; k++) {
            let v = (*x)[k];
            let q = clamp(round(exact4(exact4(v - low) * inverse)), vec4<f32>(0.0), vec4<f32>(top));
            let off = exact4(exact4(exact4(q * new_scale) + new_low) - v);
            error = add_exact4(error, exact4(abs(v) + weight) * select(exact4(off * off), abs(off), vec4<bool>(linear)));
        }
        if (t < 0 || error < least) {
            least = error;
            scale = new_scale;
            low = new_low;
        }
    }
    return vec2<f32>(scale, -low);
}

// The element farthest from 0 of a group of 16.
fn k_extreme(x: ptr<function, array<vec4<f32>, 64>>, start: u32) -> f32 {
    var most = 0.0;
    for (var k = start; k < start + 4u; k++) {
        let v = (*x)[k];
        for (var c = 0u; c < 4u; c++) {
            most = select(most, v[c], abs(v[c]) > abs(most));
        }
    }
    return most;
}

// For values -`top` to `top` - 1 of 16 elements that weigh their squares: the scale. With the inverse scale `inverse`, the sums of
// elements times values and of squares of values.
fn k_sums(x: ptr<function, array<vec4<f32>, 64>>, start: u32, top: f32, inverse: f32) -> vec2<f32> {
    var sums = vec2<f32>();
    for (var k = start; k < start + 4u; k++) {
        let v = (*x)[k];
        let q = clamp(round(exact4(v * inverse)), vec4<f32>(-top), vec4<f32>(top - 1.0));
        sums = vec2<f32>(add_exact4(sums.x, exact4(exact4(v * v) * v) * q), add_exact4(sums.y, exact4(exact4(v * v) * q) * q));
    }
    return sums;
}

// The best of the plain scale and nine on either side.
fn k_fit_signed(x: ptr<function, array<vec4<f32>, 64>>, start: u32, top: f32) -> f32 {
    let most = k_extreme(x, start);
    if (abs(most) < 1e-15) {
        return 0.0;
    }
    var sums = k_sums(x, start, top, quotient(-top, most));
    var scale = select(quotient(sums.x, sums.y), 0.0, sums.y == 0.0);
    var best = exact(scale * sums.x);
    for (var t = -9; t <= 9; t++) {
        if (t == 0) {
            continue;
        }
        sums = k_sums(x, start, top, quotient(-(top + exact(0.1 * f32(t))), most));
        if (sums.y > 0.0 && exact(sums.x * sums.x) > exact(best * sums.y)) {
            scale = quotient(sums.x, sums.y);
            best = exact(scale * sums.x);
        }
    }
    return scale;
}

// From the plain scale, values move one by one to where the fit is better, at most five times around.
fn k_fit_by_turns(x: ptr<function, array<vec4<f32>, 64>>, start: u32, top: f32) -> f32 {
    let most = k_extreme(x, start);
    if (abs(most) < 1e-15) {
        return 0.0;
    }
    var q: array<f32, 16>;
    var sums = vec2<f32>();
    for (var i = 0u; i < 16u; i++) {
        let v = (*x)[start + (i >> 2u)][i & 3u];
        q[i] = clamp(round(v * (quotient(-top, most))), -top, top - 1.0);
        sums += vec2<f32>(exact(exact(exact(v * v) * v) * q[i]), exact(exact(exact(v * v) * q[i]) * q[i]));
    }
    for (var t = 0u; t < 5u; t++) {
        var changed = false;
        for (var i = 0u; i < 16u; i++) {
            let v = (*x)[start + (i >> 2u)][i & 3u];
            var others = sums - vec2<f32>(exact(exact(exact(v * v) * v) * q[i]), exact(exact(exact(v * v) * q[i]) * q[i]));
            if (others.x > 0.0) {
                let better = clamp(round(quotient(exact(v * others.y), others.x)), -top, top - 1.0);
                if (better != q[i]) {
                    others += vec2<f32>(exact(exact(exact(v * v) * v) * better), exact(exact(exact(v * v) * better) * better));
                    if (others.y > 0.0 && exact(exact(others.x * others.x) * sums.y) > exact(exact(sums.x * sums.x) * others.y)) {
                        q[i] = better;
                        sums = others;
                        changed = true;
                    }
                }
            }
        }
        if (!changed) {
            break;
        }
    }
    return select(quotient(sums.x, sums.y), 0.0, sums.y <= 0.0);
}
