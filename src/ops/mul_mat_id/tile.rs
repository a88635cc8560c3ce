//! The kernels for many tokens on devices without matrix units: routing, then tiles in workgroup memory, f32 throughout.

use anyhow::Result;

use super::Operands;
use super::route::Route;
use crate::ops::bind::{read, write};
use crate::ops::mul_mat::tile::Choice;
use crate::ops::{Planner, grid, split};
use crate::shader::params;

pub(super) fn plan(operands: &Operands<'_>, choice: &Choice, planner: &mut Planner<'_>) -> Result<()> {
    let Operands { a, b, dst, .. } = *operands;
    let caps = planner.caps();
    let (mut variant, [wa, wb]) = choice.define("mul_mat_id/tile", a, b, caps);
    if let Some(columns) = operands.some_columns() {
        variant = variant.number("SLOTS", format!("{columns}u"));
    }
    let [tm, tn] = choice.tile;
    let mut route = Route::new(operands, tn, planner);
    for (first, part) in split::windows(a, 2, caps) {
        route.fill(operands, first, &part, planner)?;
        let [list, table] = route.operands();
        let bound = planner.bind(&[read("src0", &part, wa), read("src1", b, wb), list, table, write("dst", dst, "f32")])?;
        let (src0, src1) = (bound.view("src0", &part)?, bound.view("src1", b)?);
        let params = params::mul_mat_id_tile::Params {
            k: a.ne[0] as u32,
            m: a.ne[1] as u32,
            slots: dst.ne[1] as u32,
            tiles: route.tiles as u32,
            src0_offset: src0.offset,
            src0_nb1: src0.nb[1],
            src0_nb2: src0.nb[2],
            src1_offset: src1.offset,
            src1_nb1: src1.nb[1],
            src1_nb2: src1.nb[2],
            list_offset: bound.offset("list")?,
            table_offset: bound.offset("table")?,
            dst_offset: bound.offset("dst")?,
            dst_nb1: dst.nb[1] as u32,
        };
        planner.dispatch(variant.clone(), &bound, &params, grid::groups(a.ne[1], tm) * route.tiles)?;
    }
    Ok(())
}
