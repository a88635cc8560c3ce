//! The kernels for many columns with matrix units: src1 becomes scaled f16 columns, then one kernel multiplies them with rows that it
//! decodes to f16 on the way. Sums in f32.

use anyhow::Result;

use super::places;
use crate::ggml::{Tensor, Type};
use crate::gpu::Caps;
use crate::gpu::caps::{Component, MatrixShape};
use crate::ops::bind::{Operand, read, read_bytes, write, write_bytes};
use crate::ops::{Planner, elem, grid};
use crate::shader::{Variant, params};

#[derive(Debug, Clone, Copy)]
pub(in crate::ops) struct Choice {
    shape: MatrixShape,
    subgroup: u32,
    /// Matrices of a subgroup, along m and n.
    each: [u32; 2],
    /// Subgroups of a workgroup, along m and n.
    subgroups: [u32; 2],
}

/// Depth of a tile along k.
const DEPTH: u32 = 32;

/// Matrices of a subgroup and subgroups of a workgroup, along m and n: the first tile that is not much larger than the shapes is taken.
/// Measured on an H200 with n = 512: f16, m = 5632, k = 2048 takes 76 us with the second tile, 88 with the first, 94 with one of 128 rows
/// by 128 columns, 101 and 106 with the third and the like. What is decoded pays for more columns: q4_K takes 106, 112, 109 and 182 us.
const TILES: [([u32; 2], [u32; 2]); 4] = [([2, 4], [2, 2]), ([2, 2], [2, 2]), ([2, 1], [2, 2]), ([1, 1], [2, 2])];

impl Choice {
    /// Rows and columns of a workgroup's tile.
    pub(in crate::ops) fn tile(&self) -> [u32; 2] {
        [self.subgroups[0] * self.each[0] * self.shape.m, self.subgroups[1] * self.each[1] * self.shape.n]
    }

    fn invocations(&self) -> u32 {
        self.subgroup * self.subgroups[0] * self.subgroups[1]
    }

    /// Bytes of workgroup memory: both tiles, whose rows are 8 longer than they are deep, a matrix of results for each subgroup, and
    /// two words for each column in MUL_MAT_ID.
    fn memory(&self) -> u32 {
        let [tm, tn] = self.tile();
        2 * (tm + tn) * (DEPTH + 8) + 4 * self.subgroups[0] * self.subgroups[1] * self.shape.m * self.shape.n + 8 * tn
    }

    /// What `common/mat_matrix.wgsl` reads, and the array type of src0.
    pub(in crate::ops) fn define(&self, shader: &'static str, a: &Tensor, caps: &Caps) -> (Variant, &'static str) {
        let raw = a.ty == Type::F16;
        let word = if raw { "vec4<u32>" } else { elem::word(a.ty, caps, false, false) };
        let number = |n: u32| format!("{n}u");
        let variant = Variant::new(shader)
            .flag("SUBGROUPS", true)
            .flag("MATRIX", true)
            .flag("RAW", raw)
            .flag("src0_WIDE", raw)
            .number("TK", number(DEPTH))
            .define("MM", self.shape.m.to_string())
            .define("MN", self.shape.n.to_string())
            .define("MK", self.shape.k.to_string())
            .number("RM", number(self.each[0]))
            .number("RN", number(self.each[1]))
            .number("WM", number(self.subgroups[0]))
            .number("WN", number(self.subgroups[1]))
            .number("SUBGROUP", number(self.subgroup))
            .number("A_LOADS", (self.tile()[0] * DEPTH / 16).div_ceil(self.invocations()))
            .number("B_LOADS", (self.tile()[1] * DEPTH / 8).div_ceil(self.invocations()));
        (elem::define(variant, &[("SRC0", a.ty, word)]), word)
    }
}

/// A way to use the device's matrix units for so many columns, if it has some and the shapes suit them.
pub(in crate::ops) fn choose(a: &Tensor, columns: u64, caps: &Caps) -> Option<Choice> {
    // Other floats may be too large for f16, and keep more digits than it.
    if !(a.ty == Type::F16 || a.ty.is_quant()) {
        return None;
    }
    let subgroup = caps.fixed_subgroup()?;
    let shape =
        *caps.matrices.iter().filter(|s| s.component == Component::F16 && s.result == Component::F32).max_by_key(|s| s.m * s.n * s.k)?;
    let aligned = a.ty.is_quant() || (1..4).all(|d| a.ne[d] == 1 || a.nb[d].is_multiple_of(16));
    // Below this many rows a tile would be too small to pay.
    if !a.ne[0].is_multiple_of(16) || !DEPTH.is_multiple_of(shape.k) || !aligned || a.ne[1] < 32 {
        return None;
    }
    let first = usize::from(!a.ty.is_quant());
    TILES.into_iter().skip(first).map(|(each, subgroups)| Choice { shape, subgroup, each, subgroups }).find(|c| {
        let [tm, tn] = c.tile();
        let suits = u64::from(tm) < 2 * a.ne[1] && u64::from(tn) < 2 * columns;
        suits && c.invocations() <= caps.max_invocations && c.memory() <= caps.max_workgroup_memory
    })
}

/// Whether matrices can be loaded from where src0 lies.
pub(in crate::ops) fn reads(a: &Tensor) -> bool {
    a.ty != Type::F16 || a.data.is_multiple_of(16)
}

/// src1 as the kernels with matrix units read it, in scratch memory: f16 columns that are divided by a power of two each.
pub(in crate::ops) struct Columns {
    columns: (u64, u64),
    scales: (u64, u64),
    /// Length of a column.
    pub depth: u64,
}

impl Columns {
    /// Makes them, `padded` for each of src1's batches.
    pub(in crate::ops) fn plan(b: &Tensor, padded: u64, planner: &mut Planner<'_>) -> Result<Self> {
        let caps = planner.caps();
        let batches = b.ne[2] * b.ne[3];
        let depth = b.ne[0].next_multiple_of(u64::from(DEPTH));
        let mut take = |bytes: u64| (planner.scratch(bytes), bytes);
        let (columns, scales) = (take(2 * depth * padded * batches), take(4 * padded * batches));
        let vector = elem::vector_rows(b, caps);
        let word = elem::word(b.ty, caps, vector, false);
        let bound = planner.bind(&[
            read("src", b, word),
            write_bytes("dst", columns.0, columns.1, "vec4<f16>"),
            write_bytes("scales", scales.0, scales.1, "f32"),
        ])?;
        let variant = Variant::new("mul_mat/activations").flag("VEC", vector).flag("SUBGROUPS", true).constant("wg_size", 128);
        let (src_offset, [src_nb1, src_nb2, src_nb3]) = places(&bound, "src", b)?;
        let params = params::mul_mat_activations::Params {
            k: b.ne[0] as u32,
            depth: depth as u32,
            n: b.ne[1] as u32,
            padded: padded as u32,
            ne2: b.ne[2] as u32,
            batches: batches as u32,
            src_offset,
            src_nb1,
            src_nb2,
            src_nb3,
            dst_offset: bound.offset("dst")?,
            scale_offset: bound.offset("scales")?,
        };
        planner.dispatch(elem::define(variant, &[("SRC", b.ty, word)]), &bound, &params, padded * batches)?;
        Ok(Self { columns, scales, depth })
    }

    /// For the kernel that reads them: `columns` and `scales`.
    pub(in crate::ops) fn operands(&self) -> [Operand<'static>; 2] {
        [read_bytes("columns", self.columns.0, self.columns.1, "vec4<u32>"), read_bytes("scales", self.scales.0, self.scales.1, "f32")]
    }
}

pub(super) fn plan(a: &Tensor, b: &Tensor, dst: &Tensor, choice: &Choice, planner: &mut Planner<'_>) -> Result<()> {
    let batches = dst.ne[2] * dst.ne[3];
    let [tm, tn] = choice.tile();
    let padded = b.ne[1].next_multiple_of(u64::from(tn));
    let columns = Columns::plan(b, padded, planner)?;
    let (variant, word) = choice.define("mul_mat/matrix", a, planner.caps());
    let [values, scales] = columns.operands();
    let bound = planner.bind(&[read("src0", a, word), values, scales, write("dst", dst, "f32")])?;
    let (src0_offset, [src0_nb1, src0_nb2, src0_nb3]) = places(&bound, "src0", a)?;
    let params = params::mul_mat_matrix::Params {
        k: a.ne[0] as u32,
        m: a.ne[1] as u32,
        n: b.ne[1] as u32,
        depth: columns.depth as u32,
        padded: padded as u32,
        ne2: dst.ne[2] as u32,
        ratio2: (dst.ne[2] / a.ne[2]) as u32,
        ratio3: (dst.ne[3] / a.ne[3]) as u32,
        batches: batches as u32,
        src0_offset,
        src0_nb1,
        src0_nb2,
        src0_nb3,
        columns_offset: bound.offset("columns")?,
        scale_offset: bound.offset("scales")?,
        dst_offset: bound.offset("dst")?,
        dst_nb1: dst.nb[1] as u32,
    };
    let groups = grid::groups(a.ne[1], tm) * grid::groups(b.ne[1], tn) * batches;
    planner.dispatch(variant, &bound, &params, groups)
}
