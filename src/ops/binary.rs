//! ADD, SUB, MUL, DIV, ADD1: element by element on F32, F16 and BF16 in any mix, the second source repeated into the first.

use anyhow::Result;

use super::bind::{read_elementwise, write};
use super::{Case, Planner, Room, elem, grid, split};
use crate::ggml::{Node, sys};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct Binary;
pub(super) static ROOM: Binary = Binary;

const WG_SIZE: u32 = 256;

pub(super) struct Choice {
    variant: Variant,
    /// Everything is contiguous and of one shape.
    flat: bool,
}

impl Room for Binary {
    type Choice = Choice;

    fn choose(&self, node: &Node, caps: &Caps) -> Result<Choice> {
        let (a, b) = (node.source(0)?, node.source(1)?);
        for t in [a, b, &node.dst] {
            elem::need_float(t)?;
        }
        let op = match node.op {
            sys::GGML_OP_ADD | sys::GGML_OP_ADD1 => "+",
            sys::GGML_OP_SUB => "-",
            sys::GGML_OP_MUL => "*",
            _ => "/",
        };
        let flat = [a, b, &node.dst].iter().all(|t| t.contiguous() && elem::has_vectors(t.ty, caps))
            && a.same_shape(b)
            && node.dst.elements() % 4 == 0;
        let variant = Variant::new("binary").define("OP", op).constant("wg_size", WG_SIZE.min(caps.max_invocations));
        Ok(Choice { variant, flat })
    }

    fn plan(&self, node: &Node, choice: &Choice, planner: &mut Planner<'_>) -> Result<()> {
        let (a, b, dst) = (node.source(0)?, node.source(1)?, &node.dst);
        let flat = choice.flat && [a, b, dst].iter().all(|t| elem::vector_aligned(t.data, t.ty));
        let caps = planner.caps();
        let (wa, wb, wd) = (elem::word(a.ty, caps, flat, false), elem::word(b.ty, caps, flat, false), elem::word(dst.ty, caps, flat, true));
        let bound = planner.bind(&[read_elementwise("src0", a, wa), read_elementwise("src1", b, wb), write("dst", dst, wd)])?;
        let variant =
            elem::define(choice.variant.clone().flag("FLAT", flat), &[("SRC0", a.ty, wa), ("SRC1", b.ty, wb), ("DST", dst.ty, wd)]);
        let count = if flat { dst.elements() / 4 } else { dst.elements() };
        let params = params::binary::Params {
            count: count as u32,
            ne0: dst.ne[0] as u32,
            ne1: dst.ne[1] as u32,
            ne2: dst.ne[2] as u32,
            b_ne0: b.ne[0] as u32,
            b_ne1: b.ne[1] as u32,
            b_ne2: b.ne[2] as u32,
            b_ne3: b.ne[3] as u32,
            src0_view: bound.view("src0", a)?,
            src1_view: bound.view("src1", b)?,
            dst_view: bound.view("dst", dst)?,
        };
        planner.dispatch(variant, &bound, &params, grid::groups(count, WG_SIZE.min(caps.max_invocations)))
    }

    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        split::alike(node, 0..4)
    }

    fn cases(&self) -> Vec<Case> {
        Vec::new()
    }
}
