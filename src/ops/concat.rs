//! CONCAT: two tensors of any one type, one behind the other along any dimension. Either may be empty.

use anyhow::Result;

use super::bind::{read, write};
use super::{Case, Planner, Room, cpy, grid, layout, split};
use crate::ggml::{Node, Tensor, Type};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct Concat;
pub(super) static ROOM: Concat = Concat;

const WG_SIZE: u32 = 256;

impl Room for Concat {
    /// The dimension.
    type Choice = usize;

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<usize> {
        let (a, b, dst) = (node.source(0)?, node.source(1)?, &node.dst);
        let dim = node.params.u32(0) as usize;
        if dim > 3 || a.ty != dst.ty || b.ty != dst.ty {
            crate::unsupported!("{} and {} as {} along dimension {dim}", a.ty, b.ty, dst.ty);
        }
        Ok(dim)
    }

    fn plan(&self, node: &Node, &dim: &usize, planner: &mut Planner<'_>) -> Result<()> {
        let (a, b, dst) = (node.source(0)?, node.source(1)?, &node.dst);
        if !dst.contiguous() {
            return parts(planner, a, b, dst, dim);
        }
        // An empty source is never read, and may have no memory: the other one is bound in its place.
        let (a_bound, b_bound) = (if a.is_empty() { b } else { a }, if b.is_empty() { a } else { b });
        let (a_bound, b_bound) = (cpy::movable(planner, a_bound)?, cpy::movable(planner, b_bound)?);
        let unit = layout::common_unit(&[&a_bound, &b_bound, dst]);
        let word = if unit == 16 { "vec4<u32>" } else { "u32" };
        let bound = planner.bind(&[read("src0", &a_bound, word), read("src1", &b_bound, word), write("dst", dst, word)])?;
        let dst_offset = bound.offset("dst")?;
        let (ne, _) = layout::in_units(dst, unit, dst_offset)?;
        let (a_ne, src0_view) = layout::in_units(&a_bound, unit, bound.offset("src0")?)?;
        let (_, src1_view) = layout::in_units(&b_bound, unit, bound.offset("src1")?)?;
        let count: u64 = ne.iter().map(|&n| u64::from(n)).product();
        let params = params::concat::Params {
            count: count as u32,
            ne0: ne[0],
            ne1: ne[1],
            ne2: ne[2],
            middle: if a.is_empty() { 0 } else { a_ne[dim] },
            dst_offset,
            src0_view,
            src1_view,
        };
        let wg_size = WG_SIZE.min(planner.caps().max_invocations);
        let variant = Variant::new("concat").number("UNIT", unit).number("DIM", dim).constant("wg_size", wg_size);
        planner.dispatch(variant, &bound, &params, grid::groups(layout::stores(count, unit, dst_offset), wg_size))
    }

    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        let dim = node.params.u32(0) as usize;
        split::alike(node, 0..4).into_iter().filter(|axis| axis.dim != dim).collect()
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for dim in 0..4 {
            for ty in Type::all() {
                let block = i64::from(ty.block());
                let mut a = [7 * block, 5, 3, 2];
                let b = a;
                a[dim] = 3 * if dim == 0 { block } else { 1 };
                cases.push(Case::new(format!("{ty} along {dim}"), move |m| m.concat(m.input(ty, a), m.input(ty, b), dim as i32)));
            }
            let mut empty = [12, 5, 3, 2];
            empty[dim] = 0;
            cases.push(Case::new(format!("an empty source along {dim}"), move |m| {
                let full = m.input(Type::F32, [12, 5, 3, 2]);
                m.also(m.concat(m.input(Type::F32, empty), full, dim as i32));
                m.concat(full, m.input(Type::F32, empty), dim as i32)
            }));
            cases.push(Case::new(format!("a permuted source along {dim}"), move |m| {
                let a = m.permute(m.input(Type::F32, [5, 12, 2, 3]), [1, 0, 3, 2]);
                m.concat(a, m.input(Type::F32, [12, 5, 3, 2]), dim as i32)
            }));
        }
        cases.push(Case::new("70000 rows", |m| m.concat(m.input(Type::F16, [3, 70_000, 1, 1]), m.input(Type::F16, [2, 70_000, 1, 1]), 0)));
        cases
    }
}

/// Each source into its part of the result: for results with gaps.
fn parts(planner: &mut Planner<'_>, a: &Tensor, b: &Tensor, dst: &Tensor, dim: usize) -> Result<()> {
    let block = if dim == 0 { u64::from(dst.ty.block()) } else { 1 };
    for (source, first) in [(a, 0), (b, a.ne[dim])] {
        if !source.is_empty() {
            let part = Tensor { ne: source.ne, data: dst.data + first / block * dst.nb[dim], ..*dst };
            cpy::transfer(planner, source, &part)?;
        }
    }
    Ok(())
}
