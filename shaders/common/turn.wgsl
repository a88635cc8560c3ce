// Cosine and sine of any angle, in f32's own precision: WGSL promises only 11 bits of them, and none outside of -pi..pi.

// cos(angle), sin(angle). NaN for an angle that is none or infinite.
fn turn(angle: f32) -> vec2<f32> {
    let size = min(abs(angle), 4294967040.0);
    // Turns, modulo one: the integer part times 1 / (2 pi) in 32 fractional bits, what those lack, and the fractional part.
    let whole = u32(size);
    var turns = f32(bitcast<i32>(whole * 683565276u)) * 2.3283064365386963e-10;
    turns += f32(whole) * -9.861970558254e-11 + (size - f32(whole)) * 0.15915494309189535;
    let quarters = round(turns * 4.0);
    turns -= quarters * 0.25;
    let square = turns * turns;
    let s = turns * (6.2831852878129455 + square * (-41.34166257054727 + square * (81.59254287120571 - square * 75.40161269901597)));
    let c = 1.0 + square * (-19.739208789987394 + square * (64.93936905137306 + square * (-85.44882008431382 + square * 59.42410580028994)));
    let quarter = i32(quarters) & 3;
    var pair = select(vec2<f32>(c, s), vec2<f32>(-s, c), (quarter & 1) != 0);
    pair = select(pair, -pair, quarter >= 2);
    let bits = bitcast<u32>(angle);
    pair.y = select(pair.y, -pair.y, (bits >> 31u) != 0u);
    let nan = bitcast<f32>(bits | 0x7fc00000u);
    return select(pair, vec2<f32>(nan), (bits & 0x7f800000u) == 0x7f800000u);
}
