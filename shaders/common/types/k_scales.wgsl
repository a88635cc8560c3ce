// The head of a q4_K or q5_K block in a binding of words `Q`: f16 d, f16 dmin, then 12 bytes with the 6-bit scales and minima of
// eight groups of 32 elements. Factor and subtrahend of group j.
#import common/types/words q_ Q
fn q_scale(block: u32, j: u32) -> vec2<f32> {
    let at = block >> 2u;
    let shift = (j & 3u) * 8u;
    // Byte j % 4 of each word: two bits of a later group above six of an earlier one, then the low nibbles of a later group.
    let scales = q_word(at + 1u) >> shift;
    let minima = q_word(at + 2u) >> shift;
    let later = q_word(at + 3u) >> shift;
    let early = vec2<u32>(scales, minima) & vec2<u32>(63u);
    let late = (vec2<u32>(later, later >> 4u) & vec2<u32>(15u)) | ((vec2<u32>(scales, minima) & vec2<u32>(0xc0u)) >> vec2<u32>(2u));
    return unpack2x16float(q_word(at)) * vec2<f32>(select(late, early, j < 4u));
}
#if q_WRITE
#import common/types/k_fit
// Fits the eight groups with values 0 to `top`, writes the head of the block and returns factor and subtrahend of each group.
fn q_put_scales(x: ptr<function, array<vec4<f32>, q_VECTORS>>, words: ptr<function, array<u32, q_WORDS>>, top: f32, shift: f32, steps: i32) -> array<vec2<f32>, 8> {
    var fits: array<vec2<f32>, 8>;
    var most = vec2<f32>();
    for (var j = 0u; j < 8u; j++) {
        var squares = 0.0;
        for (var k = j * 8u; k < j * 8u + 8u; k++) {
            squares = add_exact4(squares, (*x)[k] * (*x)[k]);
        }
        fits[j] = k_fit(x, j * 8u, 8u, top, root(squares / 32.0), shift, steps, false);
        most = max(most, fits[j]);
    }
    (*words)[0] = pack2x16float(vec2<f32>(quotient(most.x, 63.0), quotient(most.y, 63.0)));
    let d = unpack_exact((*words)[0]);
    let inverse = select(vec2<f32>(quotient(63.0, most.x), quotient(63.0, most.y)), vec2<f32>(0.0), most <= vec2<f32>(0.0));
    for (var j = 0u; j < 8u; j++) {
        let scales = min(round(fits[j] * inverse), vec2<f32>(63.0));
        let bits = vec2<u32>(scales);
        let at = (j & 3u) * 8u;
        if (j < 4u) {
            (*words)[1] |= bits.x << at;
            (*words)[2] |= bits.y << at;
        } else {
            (*words)[1] |= (bits.x >> 4u) << (at + 6u);
            (*words)[2] |= (bits.y >> 4u) << (at + 6u);
            (*words)[3] |= ((bits.x & 15u) | ((bits.y & 15u) << 4u)) << at;
        }
        fits[j] = vec2<f32>(d.x * scales.x, exact(d.y * scales.y));
    }
    return fits;
}
// Values 0 to `top` of a vector of a group.
fn q_quants(v: vec4<f32>, fit: vec2<f32>, top: f32) -> vec4<u32> {
    return select(vec4<u32>(clamp(round(quotient4(v + fit.y, fit.x)), vec4<f32>(0.0), vec4<f32>(top))), vec4<u32>(0u), fit.x == 0.0);
}
#endif
