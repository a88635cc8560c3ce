//! GET_ROWS_BACK: adds rows of floats up at I32 indices, in the CPU's order and without atomics.

use anyhow::Result;

use super::bind::{read, write};
use super::norm::row_size;
use super::split::{Axis, Follow};
use super::{Case, Planner, Room, elem, grid};
use crate::ggml::make::{Fill, Make, T};
use crate::ggml::{Node, Type};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct GetRowsBack;
pub(super) static ROOM: GetRowsBack = GetRowsBack;

impl Room for GetRowsBack {
    /// Invocations of a workgroup.
    type Choice = u32;

    fn choose(&self, node: &Node, caps: &Caps) -> Result<u32> {
        let (src, index) = (node.source(0)?, node.source(1)?);
        elem::need_float(src)?;
        elem::need_rows(src, "a source")?;
        elem::need(index, Type::I32, "indices")?;
        elem::need(&node.dst, Type::F32, "a result")?;
        elem::need_rows(&node.dst, "a result")?;
        Ok(row_size(4 * node.dst.ne[0], caps).min(256))
    }

    fn plan(&self, node: &Node, &wg_size: &u32, planner: &mut Planner<'_>) -> Result<()> {
        let (src, index, dst) = (node.source(0)?, node.source(1)?, &node.dst);
        let word = elem::word(src.ty, planner.caps(), false, false);
        let bound = planner.bind(&[read("src", src, word), read("index", index, "i32"), write("dst", dst, "f32")])?;
        let (s, i, d) = (bound.view("src", src)?, bound.view("index", index)?, bound.view("dst", dst)?);
        let parts = grid::groups(dst.ne[0], wg_size);
        let params = params::get_rows_back::Params {
            rows: dst.ne[1] as u32,
            first: node.first[1] as u32,
            ne0: dst.ne[0] as u32,
            parts: parts as u32,
            indices: index.ne[0] as u32,
            src_offset: s.offset,
            src_nb1: s.nb[1],
            index_offset: i.offset,
            index_nb0: i.nb[0],
            dst_offset: d.offset,
            dst_nb1: d.nb[1],
        };
        let variant = elem::define(Variant::new("get_rows_back").constant("wg_size", wg_size), &[("SRC", src.ty, word)]);
        planner.dispatch(variant, &bound, &params, dst.ne[1] * parts)
    }

    fn axes(&self, _node: &Node) -> Vec<Axis> {
        vec![Axis { dim: 1, step: 1, sources: vec![Follow::Whole, Follow::Whole, Follow::Whole] }]
    }

    fn cases(&self) -> Vec<Case> {
        fn back(m: &Make, ty: Type, ne0: i64, indices: i64, rows: i64) -> T<'_> {
            let numbers = Fill::Ints((0..indices).map(|i| i * i % rows).collect());
            let shape = m.input(Type::F32, [ne0, rows, 1, 1]);
            m.get_rows_back(m.input(ty, [ne0, indices, 1, 1]), m.filled(Type::I32, [indices, 1, 1, 1], numbers), shape)
        }
        let mut cases = Vec::new();
        for ty in [Type::F32, Type::F16] {
            for (ne0, indices, rows) in [(1, 8, 2), (256, 70, 5), (300, 3, 70), (35, 600, 7), (2, 9, 70_000)] {
                cases.push(Case::new(format!("{ty} {ne0}, {indices} of {rows}"), move |m| back(m, ty, ne0, indices, rows)));
            }
        }
        cases
    }
}
