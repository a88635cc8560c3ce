//! REPEAT: a tensor of any type again and again in every dimension. REPEAT_BACK: sums over such repetitions, F32.

use anyhow::Result;

use super::bind::{read, write};
use super::{Case, Planner, Room, cpy, elem, grid, layout, split};
use crate::ggml::{Node, Tensor, Type, sys};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct Repeat;
pub(super) static ROOM: Repeat = Repeat;

const WG_SIZE: u32 = 256;

impl Room for Repeat {
    type Choice = ();

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<()> {
        let (src, dst) = (node.source(0)?, &node.dst);
        let back = node.op == sys::GGML_OP_REPEAT_BACK;
        let (small, large) = if back { (dst, src) } else { (src, dst) };
        if back {
            elem::need(src, Type::F32, "a source")?;
        }
        elem::need(src, dst.ty, "a source")?;
        if !small.repeats_into(large) {
            crate::unsupported!("{:?} does not repeat into {:?}", small.ne, large.ne);
        }
        Ok(())
    }

    fn plan(&self, node: &Node, &(): &(), planner: &mut Planner<'_>) -> Result<()> {
        let (src, dst) = (node.source(0)?, &node.dst);
        if node.op == sys::GGML_OP_REPEAT_BACK {
            return back(planner, src, dst);
        }
        if !dst.contiguous() {
            crate::unsupported!("a repetition with gaps ({:?} bytes)", dst.nb);
        }
        let src = &cpy::movable(planner, src)?;
        let unit = layout::common_unit(&[src, dst]);
        let word = if unit == 16 { "vec4<u32>" } else { "u32" };
        let bound = planner.bind(&[read("src", src, word), write("dst", dst, word)])?;
        let dst_offset = bound.offset("dst")?;
        let (ne, _) = layout::in_units(dst, unit, dst_offset)?;
        let (src_ne, src_view) = layout::in_units(src, unit, bound.offset("src")?)?;
        let count: u64 = ne.iter().map(|&n| u64::from(n)).product();
        let params = params::repeat::Params {
            count: count as u32,
            ne0: ne[0],
            ne1: ne[1],
            ne2: ne[2],
            src_ne0: src_ne[0],
            src_ne1: src_ne[1],
            src_ne2: src_ne[2],
            src_ne3: src_ne[3],
            dst_offset,
            src_view,
        };
        let wg_size = WG_SIZE.min(planner.caps().max_invocations);
        let variant = Variant::new("repeat").number("UNIT", unit).constant("wg_size", wg_size);
        planner.dispatch(variant, &bound, &params, grid::groups(layout::stores(count, unit, dst_offset), wg_size))
    }

    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        if node.op == sys::GGML_OP_REPEAT_BACK {
            return Vec::new();
        }
        split::alike(node, 0..4)
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for times in [[1, 1, 1, 1], [2, 1, 1, 1], [1, 3, 1, 1], [1, 1, 2, 1], [1, 1, 1, 2], [3, 2, 2, 2]] {
            for (ty, ne) in [
                (Type::F32, [8, 3, 2, 2]),
                (Type::F32, [5, 3, 2, 2]),
                (Type::F16, [5, 3, 2, 1]),
                (Type::BF16, [6, 3, 1, 2]),
                (Type::I16, [1, 3, 2, 2]),
                (Type::I32, [1, 1, 1, 1]),
            ] {
                let large = [0, 1, 2, 3].map(|d| ne[d] * times[d]);
                cases.push(Case::new(format!("{ty} {ne:?} to {large:?}"), move |m| m.repeat(m.input(ty, ne), m.input(ty, large))));
            }
            let large = [0, 1, 2, 3].map(|d| [7, 3, 2, 2][d] * times[d]);
            cases.push(Case::new(format!("back from {large:?}"), move |m| {
                m.repeat_back(m.input(Type::F32, large), m.input(Type::F32, [7, 3, 2, 2]))
            }));
        }
        cases.push(Case::new("rows of a wider tensor", |m| {
            let a = m.input(Type::F32, [9, 4, 1, 1]);
            let nb = m.nb(a);
            m.repeat(m.view(a, [5, 3, 1, 1], [nb[1], nb[2], nb[3]], 8), m.input(Type::F32, [10, 6, 2, 1]))
        }));
        cases.push(Case::new("into 70000 rows", |m| m.repeat(m.input(Type::F16, [3, 1, 1, 1]), m.input(Type::F16, [3, 70_000, 1, 1]))));
        cases
    }
}

fn back(planner: &mut Planner<'_>, src: &Tensor, dst: &Tensor) -> Result<()> {
    let bound = planner.bind(&[read("src", src, "f32"), write("dst", dst, "f32")])?;
    let times = |d: usize| (src.ne[d] / dst.ne[d]) as u32;
    let params = params::repeat_back::Params {
        count: dst.elements() as u32,
        ne0: dst.ne[0] as u32,
        ne1: dst.ne[1] as u32,
        ne2: dst.ne[2] as u32,
        ne3: dst.ne[3] as u32,
        times0: times(0),
        times1: times(1),
        times2: times(2),
        times3: times(3),
        src_view: bound.view("src", src)?,
        dst_view: bound.view("dst", dst)?,
    };
    let wg_size = WG_SIZE.min(planner.caps().max_invocations);
    planner.dispatch(Variant::new("repeat_back").constant("wg_size", wg_size), &bound, &params, grid::groups(dst.elements(), wg_size))
}
