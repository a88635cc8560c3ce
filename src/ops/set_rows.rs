//! SET_ROWS: rows of F32 or F16 into the rows of a tensor that I32 or I64 indices name; the other rows stay.

use anyhow::Result;

use super::bind::{read, write};
use super::{Case, Planner, Room, elem, grid, split};
use crate::ggml::make::{Fill, Make, T};
use crate::ggml::{Node, Tensor, Type};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct SetRows;
pub(super) static ROOM: SetRows = SetRows;

impl Room for SetRows {
    /// Invocations of a workgroup.
    type Choice = u32;

    fn choose(&self, node: &Node, caps: &Caps) -> Result<u32> {
        let (src, index, dst) = (node.source(0)?, node.source(1)?, &node.dst);
        if !matches!(src.ty, Type::F32 | Type::F16) {
            crate::unsupported!("rows of the type {}", src.ty);
        }
        if !matches!(index.ty, Type::I32 | Type::I64) {
            crate::unsupported!("indices of the type {}", index.ty);
        }
        if !(dst.ty.is_float() || dst.ty.is_encoded() || dst.ty == Type::I32) {
            crate::unsupported!("rows stored as {}", dst.ty);
        }
        elem::need_rows(src, "a source")?;
        elem::need_rows(dst, "a result")?;
        Ok(caps.max_invocations.min(256))
    }

    fn plan(&self, node: &Node, &wg_size: &u32, planner: &mut Planner<'_>) -> Result<()> {
        let (src, index) = (node.source(0)?, node.source(1)?);
        let caps = planner.caps();
        for (start, rows) in split::windows(src, 1, caps) {
            let mut numbers = *index;
            if start > 0 || rows.ne[1] < src.ne[1] {
                split::narrow(&mut numbers, 0, start, start + rows.ne[1]);
            }
            for (first, part) in split::windows(&node.dst, 1, caps) {
                set(planner, wg_size, &rows, &numbers, first as u32, &part)?;
            }
        }
        Ok(())
    }

    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        use split::{Axis, Follow};
        let Ok(index) = node.source(1) else { return Vec::new() };
        [3, 2]
            .map(|dim| {
                let of_index = if index.ne[dim - 1] == node.dst.ne[dim] { Follow::Same(dim - 1) } else { Follow::Repeat(dim - 1) };
                Axis { dim, step: 1, sources: vec![Follow::Same(dim), of_index, Follow::Same(dim)] }
            })
            .into()
    }

    fn windowed(&self) -> &'static [usize] {
        // Source 2 is the result's memory.
        &[0, 2, split::RESULT]
    }

    fn cases(&self) -> Vec<Case> {
        cases()
    }
}

/// The rows of `src` whose numbers lie in the window `dst` of the result, which begins at row `first`.
fn set(planner: &mut Planner<'_>, wg_size: u32, src: &Tensor, index: &Tensor, first: u32, dst: &Tensor) -> Result<()> {
    let caps = planner.caps();
    let quant = dst.ty.is_quant();
    let row4 = src.ne[0].is_multiple_of(4) && dst.ty.is_float();
    let src_vector = (row4 || quant) && elem::vector_rows(src, caps);
    let dst_vector = row4 && elem::vector_rows(dst, caps);
    let (ws, wd) = (elem::word(src.ty, caps, src_vector, false), elem::word(dst.ty, caps, dst_vector, true));
    let wi = if index.ty == Type::I64 { "vec2<u32>" } else { "i32" };
    let bound = planner.bind(&[read("src", src, ws), read("index", index, wi), write("dst", dst, wd)])?;

    let pieces = src.ne[0] / if row4 { 4 } else { u64::from(dst.ty.block()) };
    let count = pieces * src.rows();
    let planes = src.ne[2] * src.ne[3] > 1;
    let variant = Variant::new(if planes { "set_rows_planes" } else { "set_rows" })
        .constant("wg_size", wg_size)
        .flag("ROW4", row4)
        .flag("DST_QUANT", quant)
        .flag("src_VEC", src_vector)
        .flag("dst_VEC", dst_vector)
        .define("INDEX_WORD", wi)
        .flag("INDEX64", index.ty == Type::I64);
    let variant = elem::define(variant, &[("SRC", src.ty, ws), ("DST", dst.ty, wd)]);
    let (src_view, index_view, dst_view) = (bound.view("src", src)?, bound.view("index", index)?, bound.view("dst", dst)?);
    let groups = grid::groups(count, wg_size);
    if planes {
        let params = params::set_rows_planes::Params {
            count: count as u32,
            ne0: pieces as u32,
            ne1: src.ne[1] as u32,
            ne2: src.ne[2] as u32,
            index_ne1: index.ne[1] as u32,
            index_ne2: index.ne[2] as u32,
            first,
            rows: dst.ne[1] as u32,
            src_view,
            index_view,
            dst_view,
        };
        return planner.dispatch(variant, &bound, &params, groups);
    }
    let params = params::set_rows::Params {
        count: count as u32,
        ne0: pieces as u32,
        first,
        rows: dst.ne[1] as u32,
        src_offset: src_view.offset,
        src_nb1: src_view.nb[1],
        index_offset: index_view.offset,
        index_nb0: index_view.nb[0],
        dst_offset: dst_view.offset,
        dst_nb1: dst_view.nb[1],
    };
    planner.dispatch(variant, &bound, &params, groups)
}

fn cases() -> Vec<Case> {
    /// Rows of a tensor of shape `ne` with old content are set; all of it is compared.
    fn set<'a>(m: &'a Make, from: Type, index: Type, to: Type, ne: [i64; 4], rows: i64) -> T<'a> {
        let b = m.input(from, [ne[0], rows, ne[2], ne[3]]);
        let c = m.filled(index, [rows, ne[2], 1, 1], Fill::Distinct(ne[1]));
        m.set_rows(m.input(to, ne), b, c)
    }
    let mut cases = Vec::new();
    for to in [Type::F32, Type::F16, Type::BF16, Type::I32] {
        for index in [Type::I32, Type::I64] {
            for ne in [[64, 12, 1, 1], [33, 11, 3, 2], [1, 600, 1, 1]] {
                cases.push(Case::new(format!("f32 rows into {to} {ne:?} at {index}"), move |m| set(m, Type::F32, index, to, ne, 5)));
            }
        }
        cases.push(Case::new(format!("f16 rows into {to}"), move |m| set(m, Type::F16, Type::I64, to, [31, 12, 2, 1], 7)));
    }
    for to in Type::all().filter(|t| t.is_encoded()) {
        let block = i64::from(to.block());
        for ne in [[block, 12, 1, 1], [3 * block, 11, 2, 1]] {
            cases.push(Case::new(format!("f32 rows into {to} {ne:?}"), move |m| set(m, Type::F32, Type::I64, to, ne, 5)));
        }
        cases.push(Case::new(format!("f16 rows into {to}"), move |m| set(m, Type::F16, Type::I32, to, [block, 9, 1, 1], 4)));
    }
    for to in [Type::Q8_0, Type::Q4_0] {
        cases.push(Case::new(format!("rows into {to} twice, where they share words"), move |m| {
            let a = m.set_rows(
                m.input(to, [32, 12, 1, 1]),
                m.input(Type::F32, [32, 3, 1, 1]),
                m.filled(Type::I64, [3, 1, 1, 1], Fill::Ints(vec![5, 2, 9])),
            );
            m.set_rows(a, m.input(Type::F32, [32, 3, 1, 1]), m.filled(Type::I32, [3, 1, 1, 1], Fill::Ints(vec![6, 1, 8])))
        }));
    }
    cases.push(Case::new("zeros into every encoded type", |m| {
        for to in Type::all().filter(|t| t.is_encoded()) {
            let rows = m.filled(Type::F32, [256, 2, 1, 1], Fill::Values(vec![0.0]));
            m.also(m.set_rows(m.input(to, [256, 4, 1, 1]), rows, m.filled(Type::I32, [2, 1, 1, 1], Fill::Ints(vec![3, 1]))));
        }
        m.input(Type::F32, [1, 1, 1, 1])
    }));
    cases.push(Case::new("rows into every other row of a view, from a view", |m| {
        let whole = m.input(Type::F16, [40, 20, 1, 1]);
        let nb = m.nb(whole);
        let part = m.view(whole, [33, 10, 1, 1], [2 * nb[1], nb[2], nb[3]], nb[1] + 2);
        let rows = m.input(Type::F32, [50, 4, 1, 1]);
        let some = m.view(rows, [33, 4, 1, 1], [200, 800, 800], 12);
        m.set_rows(part, some, m.filled(Type::I64, [4, 1, 1, 1], Fill::Ints(vec![9, 2, 0, 5])))
    }));
    cases.push(Case::new("70000 rows into f16", |m| set(m, Type::F32, Type::I32, Type::F16, [3, 80_000, 1, 1], 70_000)));
    cases
}
