//! The kernel for few columns: memory bound, each row of src0 read once.

use anyhow::Result;

use super::places;
use crate::ggml::{Tensor, Type};
use crate::gpu::Caps;
use crate::ops::bind::{read, write};
use crate::ops::{Planner, elem, grid};
use crate::shader::{Variant, params};

#[derive(Clone, Copy)]
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

/// For so many columns.
pub(in crate::ops) fn choose(a: &Tensor, columns: u64, caps: &Caps) -> Choice {
    let most = (1 << caps.max_invocations.ilog2()).min(256);
    // One invocation for each piece of 16 along k, if there are that many.
    let team = ((a.ne[0] / 16).max(1).next_power_of_two() as u32).min(most).min(128);
    let wg = team.max(64).min(most);
    let rows = if columns > 4 || a.ne[1] < 4096 { 2 } else { 4 };
    let reduce = match caps.subgroups {
        Some((least, _)) if team <= least => Reduce::Shuffle,
        Some((least, greatest)) if team.is_multiple_of(greatest) && wg.is_multiple_of(greatest) && least > 1 => Reduce::Subgroup,
        _ => Reduce::Memory,
    };
    Choice { wg, team, rows, reduce }
}

impl Choice {
    /// For kernels in which a team takes its rows from several matrices at once.
    pub(super) fn sharing(self, matrices: u32) -> Self {
        Self { rows: (self.rows / matrices).max(1), ..self }
    }

    /// Rows of a matrix that a workgroup computes.
    pub(in crate::ops) fn rows_of_workgroup(&self) -> u32 {
        self.wg / self.team * self.rows
    }

    /// What `common/mat_vec.wgsl` reads.
    pub(in crate::ops) fn define(&self, variant: Variant, columns: u64, caps: &Caps) -> Variant {
        let reduce = match self.reduce {
            Reduce::Shuffle => "shuffle",
            Reduce::Subgroup => "subgroup",
            Reduce::Memory => "memory",
        };
        variant
            .number("ROWS", format!("{}u", self.rows))
            .number("COLS", format!("{columns}u"))
            .number("T", format!("{}u", self.team))
            .number("WG", format!("{}u", self.wg))
            .define("REDUCE", reduce)
            .number("SUBGROUP_LEAST", format!("{}u", caps.subgroups.map_or(1, |s| s.0)))
            .flag("SUBGROUPS", self.reduce != Reduce::Memory)
    }
}

/// Array types of the bindings, as wide as alignment allows.
pub(in crate::ops) struct Words {
    pub a: &'static str,
    pub b: &'static str,
    wide: bool,
    vector_a: bool,
    vector_b: bool,
    tail: bool,
}

impl Words {
    pub(in crate::ops) fn of(a: &Tensor, b: &Tensor, caps: &Caps) -> Self {
        // The last, partial piece of 16 is read element by element.
        let tail = !a.ne[0].is_multiple_of(16);
        let vector_b = !tail && elem::vector_rows(b, caps);
        let vector_a = !tail && a.ty == Type::F32 && elem::vector_rows(a, caps);
        let wide = matches!(a.ty, Type::F16 | Type::BF16) && elem::wide_rows(a);
        let word_a = if wide { "vec4<u32>" } else { elem::word(a.ty, caps, vector_a, false) };
        Self { a: word_a, b: elem::word(b.ty, caps, vector_b, false), wide, vector_a, vector_b, tail }
    }

    pub(in crate::ops) fn define(&self, variant: Variant) -> Variant {
        variant.flag("src1_VEC", self.vector_b).flag("src0_WIDE", self.wide).flag("src0_VEC", self.vector_a).flag("TAIL", self.tail)
    }
}

pub(super) fn plan(a: &Tensor, b: &Tensor, dst: &Tensor, choice: &Choice, planner: &mut Planner<'_>) -> Result<()> {
    let words = Words::of(a, b, planner.caps());
    let bound = planner.bind(&[read("src0", a, words.a), read("src1", b, words.b), write("dst", dst, "f32")])?;
    let variant = choice.define(Variant::new("mul_mat/vec"), b.ne[1], planner.caps());
    let variant = elem::define(words.define(variant), &[("SRC0", a.ty, words.a), ("SRC1", b.ty, words.b)]);
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
    let groups = grid::groups(a.ne[1], choice.rows_of_workgroup());
    planner.dispatch(variant, &bound, &params, groups * batches)
}
