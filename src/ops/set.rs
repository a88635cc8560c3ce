//! SET and ACC: the first source with a part of it replaced by the second source, or with the second source added to that part.

use anyhow::Result;

use super::split::{Axis, Follow};
use super::{Case, Planner, Room, binary, cpy, elem};
use crate::ggml::{Node, Tensor, Type, sys};
use crate::gpu::Caps;

pub(super) struct Set;
pub(super) static ROOM: Set = Set;

impl Room for Set {
    type Choice = ();

    fn choose(&self, node: &Node, caps: &Caps) -> Result<()> {
        let (a, b) = (node.source(0)?, node.source(1)?);
        elem::need(a, node.dst.ty, "a source")?;
        elem::need(b, node.dst.ty, "a part")?;
        if node.dst.ty.is_quant() {
            crate::unsupported!("a part of {}", node.dst.ty);
        }
        if node.op == sys::GGML_OP_ACC {
            binary::ROOM.choose(&sum(node, &part(node, b), b), caps)?;
        }
        Ok(())
    }

    fn plan(&self, node: &Node, &(): &(), planner: &mut Planner<'_>) -> Result<()> {
        let (a, b, dst) = (node.source(0)?, node.source(1)?, &node.dst);
        if !a.same_bytes(dst) {
            cpy::transfer(planner, a, dst)?;
        }
        if b.is_empty() {
            return Ok(());
        }
        let part = part(node, b);
        if part.data + part.span() > dst.data + dst.span() {
            crate::unsupported!("a part that ends {} bytes behind the result", part.data + part.span() - dst.data - dst.span());
        }
        if node.op == sys::GGML_OP_SET {
            return cpy::transfer(planner, b, &part);
        }
        let sum = sum(node, &part, b);
        let choice = binary::ROOM.choose(&sum, planner.caps())?;
        binary::ROOM.plan(&sum, &choice, planner)
    }

    fn axes(&self, node: &Node) -> Vec<Axis> {
        let Ok(b) = node.source(1) else { return Vec::new() };
        // Where the part is as long as the result and lies along it.
        let follows = |d: &usize| b.ne[*d] == node.dst.ne[*d] && u64::from(node.params.u32(d - 1)) == node.dst.nb[*d];
        [3, 2, 1].into_iter().filter(follows).map(|dim| Axis { dim, step: 1, sources: vec![Follow::Same(dim); 2] }).collect()
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for inplace in [false, true] {
            for ty in [Type::F32, Type::I32] {
                cases.push(Case::new(format!("set {ty}, in place: {inplace}"), move |m| {
                    let a = m.cont(m.input(ty, [13, 7, 3, 2]));
                    let (b, nb) = (m.input(ty, [5, 4, 2, 1]), m.nb(a));
                    let offset = 4 * 3 + nb[1] + nb[2];
                    if inplace { m.set_inplace(a, b, nb[1], nb[2], nb[3], offset) } else { m.set(a, b, nb[1], nb[2], nb[3], offset) }
                }));
            }
            cases.push(Case::new(format!("acc, in place: {inplace}"), move |m| {
                let a = m.cont(m.input(Type::F32, [16, 7, 3, 2]));
                let (b, nb) = (m.input(Type::F32, [8, 4, 3, 2]), m.nb(a));
                let offset = 4 * 3 + nb[1];
                if inplace { m.acc_inplace(a, b, nb[1], nb[2], nb[3], offset) } else { m.acc(a, b, nb[1], nb[2], nb[3], offset) }
            }));
        }
        cases.push(Case::new("set rows of a permuted part", |m| {
            let a = m.input(Type::F32, [12, 6, 4, 1]);
            let nb = m.nb(a);
            m.set(a, m.permute(m.input(Type::F32, [12, 4, 6, 1]), [0, 2, 1, 3]), nb[1], nb[2], nb[3], 0)
        }));
        cases.push(Case::new("acc 70000 rows", |m| {
            let a = m.input(Type::F32, [3, 70_000, 1, 1]);
            let nb = m.nb(a);
            m.acc(a, m.input(Type::F32, [2, 69_999, 1, 1]), nb[1], nb[2], nb[3], 4)
        }));
        cases
    }
}

/// The part of the result that the second source goes to.
fn part(node: &Node, b: &Tensor) -> Tensor {
    let stride = |i: usize| u64::from(node.params.u32(i));
    let dst = &node.dst;
    Tensor { ne: b.ne, nb: [dst.nb[0], stride(0), stride(1), stride(2)], data: dst.data + stride(3), ..*dst }
}

/// ADD of the second source to the part, in place.
fn sum(node: &Node, part: &Tensor, b: &Tensor) -> Node {
    let mut sum = Node { op: sys::GGML_OP_ADD, dst: *part, ..node.clone() };
    sum.src = Default::default();
    (sum.src[0], sum.src[1]) = (Some(*part), Some(*b));
    sum
}
