//! GET_ROWS: rows of any float or quantised type as F32, or of I32 as they are, at I32 indices.

use anyhow::Result;

use super::bind::{read, write};
use super::{Case, Planner, Room, elem, grid, split};
use crate::ggml::make::Fill;
use crate::ggml::{Node, Type};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct GetRows;
pub(super) static ROOM: GetRows = GetRows;

impl Room for GetRows {
    /// Invocations of a workgroup.
    type Choice = u32;

    fn choose(&self, node: &Node, caps: &Caps) -> Result<u32> {
        let (src, index) = (node.source(0)?, node.source(1)?);
        elem::need(index, Type::I32, "indices")?;
        elem::need_rows(src, "a source")?;
        match src.ty {
            Type::I32 => elem::need(&node.dst, Type::I32, "a result")?,
            ty if ty.is_float() || ty.is_quant() => elem::need(&node.dst, Type::F32, "a result")?,
            ty => crate::unsupported!("rows of the type {ty}"),
        }
        elem::need_rows(&node.dst, "a result")?;
        Ok(caps.max_invocations.min(256))
    }

    fn plan(&self, node: &Node, &wg_size: &u32, planner: &mut Planner<'_>) -> Result<()> {
        let (src, index, dst) = (node.source(0)?, node.source(1)?, &node.dst);
        let caps = planner.caps();
        let row4 = dst.ty == Type::F32 && dst.ne[0] % 4 == 0;
        let (src_vector, dst_vector) = (row4 && elem::vector_rows(src, caps), row4 && elem::vector_rows(dst, caps));
        let (ws, wd) = (elem::word(src.ty, caps, src_vector, false), elem::word(dst.ty, caps, dst_vector, true));
        let variant = Variant::new("get_rows")
            .constant("wg_size", wg_size)
            .flag("ROW4", row4)
            .flag("src_VEC", src_vector)
            .flag("dst_VEC", dst_vector);
        let variant = elem::define(variant, &[("SRC", src.ty, ws), ("DST", dst.ty, wd)]);
        let count = if row4 { dst.elements() / 4 } else { dst.elements() };
        for (first, part) in split::windows(src, 1, caps) {
            let bound = planner.bind(&[read("src", &part, ws), read("index", index, "i32"), write("dst", dst, wd)])?;
            let params = params::get_rows::Params {
                count: count as u32,
                ne0: if row4 { dst.ne[0] / 4 } else { dst.ne[0] } as u32,
                ne1: dst.ne[1] as u32,
                ne2: dst.ne[2] as u32,
                first: first as u32,
                rows: part.ne[1] as u32,
                src_view: bound.view("src", &part)?,
                index_view: bound.view("index", index)?,
                dst_view: bound.view("dst", dst)?,
            };
            planner.dispatch(variant.clone(), &bound, &params, grid::groups(count, wg_size))?;
        }
        Ok(())
    }

    fn axes(&self, _node: &Node) -> Vec<split::Axis> {
        use split::{Axis, Follow};
        vec![
            Axis { dim: 3, step: 1, sources: vec![Follow::Same(3), Follow::Same(2)] },
            Axis { dim: 2, step: 1, sources: vec![Follow::Same(2), Follow::Same(1)] },
            Axis { dim: 1, step: 1, sources: vec![Follow::Whole, Follow::Same(0)] },
        ]
    }

    fn windowed(&self) -> &'static [usize] {
        &[0]
    }

    fn cases(&self) -> Vec<Case> {
        let indices = |n: i64, below: i64| Fill::Ints((0..n).map(|i| (i * 7 + 3) % below).collect());
        let mut cases = Vec::new();
        for ty in Type::all().filter(|t| t.is_float() || t.is_quant() || *t == Type::I32) {
            cases.push(Case::new(format!("get_rows {ty}"), move |m| {
                m.get_rows(m.input(ty, [256, 9, 1, 1]), m.filled(Type::I32, [6, 1, 1, 1], indices(6, 9)))
            }));
        }
        for ty in [Type::F32, Type::F16, Type::BF16] {
            cases.push(Case::new(format!("get_rows {ty} of odd length in batches"), move |m| {
                m.get_rows(m.input(ty, [35, 9, 3, 2]), m.filled(Type::I32, [4, 3, 2, 1], indices(24, 9)))
            }));
        }
        for ty in [Type::Q4_0, Type::Q5_1, Type::Q8_0, Type::F16] {
            cases.push(Case::new(format!("get_rows of a view of {ty} that begins at row 5"), move |m| {
                let whole = m.input(ty, [96, 40, 1, 1]);
                let nb = m.nb(whole);
                let part = m.view(whole, [96, 31, 1, 1], [nb[1], nb[2], nb[3]], 5 * nb[1]);
                m.get_rows(part, m.filled(Type::I32, [9, 1, 1, 1], indices(9, 31)))
            }));
        }
        cases.push(Case::new("get_rows with a view of the indices", move |m| {
            let all = m.filled(Type::I32, [8, 3, 1, 1], indices(24, 9));
            let nb = m.nb(all);
            let some = m.view(all, [5, 3, 1, 1], [nb[1], nb[2], nb[3]], 12);
            m.get_rows(m.input(Type::F32, [64, 9, 3, 1]), some)
        }));
        cases.push(Case::new("get_rows of 70000 rows", move |m| {
            m.get_rows(m.input(Type::F32, [3, 11, 1, 1]), m.filled(Type::I32, [70_000, 1, 1, 1], indices(70_000, 11)))
        }));
        cases
    }
}
