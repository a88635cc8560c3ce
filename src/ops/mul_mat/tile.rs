//! The kernel for many columns on devices without matrix units: tiles in workgroup memory, f32 throughout.

use anyhow::Result;

use super::places;
use crate::ggml::Tensor;
use crate::gpu::Caps;
use crate::ops::bind::{read, write};
use crate::ops::{Planner, elem, grid};
use crate::shader::{Variant, params};

pub(in crate::ops) struct Choice {
    /// Rows and columns of a workgroup's tile.
    tile: [u32; 2],
}

pub(super) fn choose(a: &Tensor, b: &Tensor, caps: &Caps) -> Choice {
    let tile = match (a.ne[1], b.ne[1]) {
        (m, n) if m > 32 && n > 32 && caps.max_invocations >= 256 => [64, 64],
        (m, _) if m > 32 && caps.max_invocations >= 128 => [64, 32],
        _ => [32, 32],
    };
    Choice { tile }
}

pub(super) fn plan(a: &Tensor, b: &Tensor, dst: &Tensor, choice: &Choice, planner: &mut Planner<'_>) -> Result<()> {
    let caps = planner.caps();
    let vector = elem::vector_rows(b, caps);
    let vector_a = elem::vector_rows(a, caps);
    let (wa, wb) = (elem::word(a.ty, caps, vector_a, false), elem::word(b.ty, caps, vector, false));
    let bound = planner.bind(&[read("src0", a, wa), read("src1", b, wb), write("dst", dst, "f32")])?;
    let [tm, tn] = choice.tile;
    let tail = match a.ne[0] {
        k if k % 16 == 0 => "none",
        k if k % 4 == 0 => "whole",
        _ => "part",
    };
    let variant = Variant::new("mul_mat/tile")
        .number("TM", format!("{tm}u"))
        .number("TN", format!("{tn}u"))
        .flag("VEC", vector)
        .flag("src0_VEC", vector_a)
        .define("TAIL", tail);
    let variant = elem::define(variant, &[("SRC0", a.ty, wa), ("SRC1", b.ty, wb)]);
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
