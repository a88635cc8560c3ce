//! The kernel for many columns on devices without matrix units: tiles in workgroup memory, f32 throughout.

use anyhow::Result;

use super::places;
use crate::ggml::Tensor;
use crate::gpu::Caps;
use crate::ops::bind::{read, write};
use crate::ops::{Planner, elem, grid};
use crate::shader::{Variant, params};

#[derive(Debug, Clone, Copy)]
pub(in crate::ops) struct Choice {
    /// Rows and columns of a workgroup's tile.
    pub tile: [u32; 2],
}

/// For a matrix of so many rows times so many columns.
pub(in crate::ops) fn choose(rows: u64, columns: u64, caps: &Caps) -> Choice {
    let tile = match (rows, columns) {
        (m, n) if m > 32 && n > 32 && caps.max_invocations >= 256 => [64, 64],
        (m, _) if m > 32 && caps.max_invocations >= 128 => [64, 32],
        _ => [32, 32],
    };
    Choice { tile }
}

impl Choice {
    /// What `common/mat_tile.wgsl` reads, and the array types of src0 and src1.
    pub(in crate::ops) fn define(&self, shader: &'static str, a: &Tensor, b: &Tensor, caps: &Caps) -> (Variant, [&'static str; 2]) {
        let vectors = [a, b].map(|t| elem::vector_rows(t, caps));
        let words = [elem::word(a.ty, caps, vectors[0], false), elem::word(b.ty, caps, vectors[1], false)];
        let tail = match a.ne[0] {
            k if k % 16 == 0 => "none",
            k if k % 4 == 0 => "whole",
            _ => "part",
        };
        let variant = Variant::new(shader)
            .number("TM", format!("{}u", self.tile[0]))
            .number("TN", format!("{}u", self.tile[1]))
            .flag("VEC", vectors[1])
            .flag("src0_VEC", vectors[0])
            .define("TAIL", tail);
        (elem::define(variant, &[("SRC0", a.ty, words[0]), ("SRC1", b.ty, words[1])]), words)
    }
}

pub(super) fn plan(a: &Tensor, b: &Tensor, dst: &Tensor, choice: &Choice, planner: &mut Planner<'_>) -> Result<()> {
    let (variant, [wa, wb]) = choice.define("mul_mat/tile", a, b, planner.caps());
    let bound = planner.bind(&[read("src0", a, wa), read("src1", b, wb), write("dst", dst, "f32")])?;
    let [tm, tn] = choice.tile;
    let batches = dst.ne[2] * dst.ne[3];
    let (src0_offset, [src0_nb1, src0_nb2, src0_nb3]) = places(&bound, "src0", a)?;
    let (src1_offset, [src1_nb1, src1_nb2, src1_nb3]) = places(&bound, "src1", b)?;
    let params = params::mul_mat_tile::Params {
        k: a.ne[0] as u32,
        m: a.ne[1] as u32,
        n: b.ne[1] as u32,
        ne2: dst.ne[2] as u32,
        ratio2: (dst.ne[2] / a.ne[2]) as u32,
        ratio3: (dst.ne[3] / a.ne[3]) as u32,
        batches: batches as u32,
        src0_offset,
        src0_nb1,
        src0_nb2,
        src0_nb3,
        src1_offset,
        src1_nb1,
        src1_nb2,
        src1_nb3,
        dst_offset: bound.offset("dst")?,
        dst_nb1: dst.nb[1] as u32,
    };
    let groups = grid::groups(a.ne[1], tm) * grid::groups(b.ne[1], tn) * batches;
    planner.dispatch(variant, &bound, &params, groups)
}
