//! The grids of the iq types, whose values are points of a grid by number. Read out of ggml's own decoders, so that they are whatever
//! this ggml has, and packed as `shaders/common/types/grids.wgsl` reads them: 16 bits for each point.

use super::sys;
use super::types::Type;

/// One grid: how a block of zeros with a scale of 1 and one number decodes.
struct Grid {
    ty: Type,
    points: usize,
    /// Byte of the block that has the upper bits of the number of the first point; byte 2 has the lower eight.
    upper: usize,
    /// Elements of a point.
    each: usize,
    /// Bits of a level.
    bits: usize,
    /// An element's level is its value times `factor` plus `shift`, rounded down.
    factor: f32,
    shift: f32,
}

/// In the order of their places.
const GRIDS: [Grid; 6] = [
    Grid { ty: Type::IQ2_XXS, points: 256, upper: 3, each: 8, bits: 2, factor: 0.45, shift: 0.0 },
    Grid { ty: Type::IQ2_XS, points: 512, upper: 3, each: 8, bits: 2, factor: 0.45, shift: 0.0 },
    Grid { ty: Type::IQ2_S, points: 1024, upper: 66, each: 8, bits: 2, factor: 0.45, shift: 0.0 },
    Grid { ty: Type::IQ3_XXS, points: 256, upper: 3, each: 4, bits: 4, factor: 0.5, shift: 0.0 },
    Grid { ty: Type::IQ3_S, points: 512, upper: 66, each: 4, bits: 4, factor: 0.5, shift: 0.0 },
    Grid { ty: Type::IQ1_S, points: 2048, upper: 34, each: 8, bits: 2, factor: 1.0, shift: 1.0 },
];

/// Bytes of all grids.
pub const BYTES: u64 = 9216;

/// All grids, one behind the other.
pub fn bytes() -> Vec<u8> {
    GRIDS.iter().flat_map(|grid| (0..grid.points).flat_map(|i| grid.point(i).to_le_bytes())).collect()
}

impl Grid {
    fn point(&self, number: usize) -> u16 {
        let mut block = vec![0_u8; self.ty.bytes() as usize];
        let mut values = vec![0.0_f32; self.ty.block() as usize];
        // 1.0 in f16.
        block[1] = 0x3c;
        block[2] = number as u8;
        block[self.upper] |= (number >> 8) as u8;
        // SAFETY: a type of ggml's; one block in, its elements out.
        unsafe {
            if let Some(decode) = (*sys::ggml_get_type_traits(self.ty.info().id)).to_float {
                decode(block.as_ptr().cast(), values.as_mut_ptr(), values.len() as i64);
            }
        }
        values[..self.each].iter().rev().fold(0, |point, v| point << self.bits | (v * self.factor + self.shift) as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_as_long_as_said_and_have_no_point_twice() {
        let bytes = bytes();
        assert_eq!(bytes.len() as u64, BYTES);
        let mut start = 0;
        for grid in &GRIDS {
            let mut points: Vec<&[u8]> = bytes[start..start + 2 * grid.points].chunks(2).collect();
            points.sort_unstable();
            points.dedup();
            assert_eq!(points.len(), grid.points, "{}", grid.ty);
            start += 2 * grid.points;
        }
    }
}
