//! The kernel for few columns: memory bound, each row of src0 read once.

use anyhow::Result;

use super::places;
use crate::ggml::{Tensor, Type};
use crate::gpu::Caps;
use crate::ops::bind::{read, write};
use crate::ops::{Planner, elem, grid};
use crate::shader::{Variant, params};

pub(in crate::ops) struct Choice {
    /// Invocations of a workgroup.
    wg: u32,
    /// Invocations that share a row.
    team: u32,
    /// Rows of a team.
    rows: u32,
    reduce: Reduce,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reduce {
    Shuffle,
    Subgroup,
    Memory,
}

pub(super) fn choose(a: &Tensor, b: &Tensor, caps: &Caps) -> Choice {
    let columns = b.ne[1] as u32;
    let most = (1 << caps.max_invocations.ilog2()).min(256);
    // One invocation for each piece of 16 along k, if there are that many.
    let team = ((a.ne[0] / 16).max(1).next_power_of_two() as u32).min(most).min(128);
    let wg = team.max(64).min(most);
    let rows = if columns > 4 || a.ne[1] < 4096 { 2 } else { 4 };
    let reduce = match caps.subgroups {
        Some((least, _)) if team <= least => Reduce::Shuffle,
        Some((least, greatest)) if team % greatest == 0 && wg % greatest == 0 && least > 1 => Reduce::Subgroup,
        _ => Reduce::Memory,
    };
    Choice { wg, team, rows, reduce }
}

pub(super) fn plan(a: &Tensor, b: &Tensor, dst: &Tensor, choice: &Choice, planner: &mut Planner<'_>) -> Result<()> {
    let caps = planner.caps();
    // The last, partial piece of 16 is read element by element.
    let tail = a.ne[0] % 16 != 0;
    let vector = !tail && elem::vector_rows(b, caps);
    let wide = matches!(a.ty, Type::F16 | Type::BF16) && elem::wide_rows(a);
    let vector_a = !tail && a.ty == Type::F32 && elem::vector_rows(a, caps);
    let wa = if wide { "vec4<u32>" } else { elem::word(a.ty, caps, vector_a, false) };
    let wb = elem::word(b.ty, caps, vector, false);
    let bound = planner.bind(&[read("src0", a, wa), read("src1", b, wb), write("dst", dst, "f32")])?;
    let columns = b.ne[1];
    let reduce = match choice.reduce {
        Reduce::Shuffle => "shuffle",
        Reduce::Subgroup => "subgroup",
        Reduce::Memory => "memory",
    };
    let variant = Variant::new("mul_mat/vec")
        .number("ROWS", format!("{}u", choice.rows))
        .number("COLS", format!("{columns}u"))
        .number("T", format!("{}u", choice.team))
        .number("WG", format!("{}u", choice.wg))
        .define("REDUCE", reduce)
        .number("SUBGROUP_LEAST", format!("{}u", caps.subgroups.map_or(1, |s| s.0)))
        .flag("SUBGROUPS", choice.reduce != Reduce::Memory)
        .flag("VEC", vector)
        .flag("WIDE", wide)
        .flag("src0_VEC", vector_a)
        .flag("TAIL", tail);
    let variant = elem::define(variant, &[("SRC0", a.ty, wa), ("SRC1", b.ty, wb)]);
    let groups = grid::groups(a.ne[1], choice.wg / choice.team * choice.rows);
    let batches = dst.ne[2] * dst.ne[3];
    let (src0_offset, [src0_nb1, src0_nb2, src0_nb3]) = places(&bound, "src0", a)?;
    let (src1_offset, [src1_nb1, src1_nb2, src1_nb3]) = places(&bound, "src1", b)?;
    let params = params::mul_mat_vec::Params {
        k: a.ne[0] as u32,
        m: a.ne[1] as u32,
        ne2: dst.ne[2] as u32,
        ratio2: (dst.ne[2] / a.ne[2]) as u32,
        ratio3: (dst.ne[3] / a.ne[3]) as u32,
        src0_offset,
        src0_nb1,
        src0_nb2,
        src0_nb3,
        src1_offset,
        src1_nb1,
        src1_nb2,
        src1_nb3,
        batches: batches as u32,
        dst_offset: bound.offset("dst")?,
        dst_nb1: dst.nb[1] as u32,
    };
    planner.dispatch(variant, &bound, &params, groups * batches)
}
