//! The kernel for few tokens: memory bound, a workgroup for some rows of one pair of token and slot.

use anyhow::Result;

use super::Operands;
use crate::ops::bind::{read, write};
use crate::ops::mul_mat::vec::{Choice, Words};
use crate::ops::{Planner, elem, grid, split};
use crate::shader::{Variant, params};

pub(super) fn plan(operands: &Operands<'_>, choice: &Choice, planner: &mut Planner<'_>) -> Result<()> {
    let Operands { a, b, ids, dst } = *operands;
    let caps = planner.caps();
    let words = Words::of(a, b, caps);
    let mut variant = words.define(choice.define(Variant::new("mul_mat_id/vec"), 1, caps));
    if let Some(columns) = operands.some_columns() {
        variant = variant.number("SLOTS", format!("{columns}u"));
    }
    let variant = elem::define(variant, &[("SRC0", a.ty, words.a), ("SRC1", b.ty, words.b)]);
    let groups = grid::groups(a.ne[1], choice.rows_of_workgroup()) * operands.pairs();
    for (first, part) in split::windows(a, 2, caps) {
        let [src0, src1] = [read("src0", &part, words.a), read("src1", b, words.b)];
        let bound = planner.bind(&[src0, src1, read("ids", ids, "i32"), write("dst", dst, "f32")])?;
        let (src0, src1, ids) = (bound.view("src0", &part)?, bound.view("src1", b)?, bound.view("ids", ids)?);
        let params = params::mul_mat_id_vec::Params {
            k: a.ne[0] as u32,
            m: a.ne[1] as u32,
            slots: dst.ne[1] as u32,
            pairs: operands.pairs() as u32,
            experts: a.ne[2] as u32,
            src0_offset: src0.offset,
            src0_nb1: src0.nb[1],
            src0_nb2: src0.nb[2],
            src1_offset: src1.offset,
            src1_nb1: src1.nb[1],
            src1_nb2: src1.nb[2],
            ids_offset: ids.offset,
            ids_nb0: ids.nb[0],
            ids_nb1: ids.nb[1],
            dst_offset: bound.offset("dst")?,
            dst_nb1: dst.nb[1] as u32,
        };
        let variant = if part.ne[2] == a.ne[2] {
            variant.clone()
        } else {
            variant.clone().number("FIRST", format!("{first}u")).number("COUNT", format!("{}u", part.ne[2]))
        };
        planner.dispatch(variant, &bound, &params, groups)?;
    }
    Ok(())
}
