//! The kernels for many tokens with matrix units: src1 becomes scaled f16 columns, routing, then tiles that gather these columns.

use anyhow::Result;

use super::Operands;
use super::route::Route;
use crate::ops::bind::{read, write};
use crate::ops::mul_mat::matrix::{Choice, Columns};
use crate::ops::{Planner, grid, split};
use crate::shader::params;

pub(super) fn plan(operands: &Operands<'_>, choice: &Choice, planner: &mut Planner<'_>) -> Result<()> {
    let Operands { a, b, dst, .. } = *operands;
    let (variant, word) = choice.define("mul_mat_id/matrix", a, planner.caps());
    let [tm, tn] = choice.tile();
    let columns = Columns::plan(b, b.ne[1], planner)?;
    let mut route = Route::new(operands, tn, planner);
    for (first, part) in split::windows(a, 2, planner.caps()) {
        route.fill(operands, first, &part, planner)?;
        let ([values, scales], [list, table]) = (columns.operands(), route.operands());
        let bound = planner.bind(&[read("src0", &part, word), values, scales, list, table, write("dst", dst, "f32")])?;
        let src0 = bound.view("src0", &part)?;
        let params = params::mul_mat_id_matrix::Params {
            k: a.ne[0] as u32,
            m: a.ne[1] as u32,
            slots: dst.ne[1] as u32,
            columns: b.ne[1] as u32,
            depth: columns.depth as u32,
            tiles: route.tiles as u32,
            src0_offset: src0.offset,
            src0_nb1: src0.nb[1],
            src0_nb2: src0.nb[2],
            columns_offset: bound.offset("columns")?,
            scale_offset: bound.offset("scales")?,
            list_offset: bound.offset("list")?,
            table_offset: bound.offset("table")?,
            dst_offset: bound.offset("dst")?,
            dst_nb1: dst.nb[1] as u32,
        };
        planner.dispatch(variant.clone(), &bound, &params, grid::groups(a.ne[1], tm) * route.tiles)?;
    }
    Ok(())
}
