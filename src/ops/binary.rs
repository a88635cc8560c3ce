//! ADD, SUB, MUL, DIV, ADD1: element by element on F32, F16 and BF16 in any mix, the second source repeated into the first. ADD and ADD1
//! also to types with blocks.

use anyhow::Result;

use super::bind::{read_elementwise, write};
use super::{Case, Planner, Room, elem, grid, split};
use crate::ggml::make::{Fill, Make, T};
use crate::ggml::{Node, Type, sys};
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
        let blocks = a.ty.is_quant() && matches!(node.op, sys::GGML_OP_ADD | sys::GGML_OP_ADD1);
        elem::need_float(b)?;
        if blocks {
            elem::need_rows(a, "a source")?;
            if !(node.dst.ty.is_float() || node.dst.ty.is_encoded()) {
                crate::unsupported!("sums stored as {}", node.dst.ty);
            }
        } else {
            elem::need_float(a)?;
            elem::need_float(&node.dst)?;
        }
        let op = match node.op {
            sys::GGML_OP_ADD | sys::GGML_OP_ADD1 => "+",
            sys::GGML_OP_SUB => "-",
            sys::GGML_OP_MUL => "*",
            _ => "/",
        };
        let flat = [a, b, &node.dst].iter().all(|t| t.contiguous() && elem::has_vectors(t.ty, caps))
            && a.same_shape(b)
            && node.dst.elements().is_multiple_of(4);
        let variant = Variant::new("binary")
            .define("OP", op)
            .flag("BLOCKS", blocks)
            .flag("ENCODE", node.dst.ty.is_quant())
            .constant("wg_size", WG_SIZE.min(caps.max_invocations));
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
        // Elements for an invocation.
        let each = if dst.ty.is_quant() {
            u64::from(dst.ty.block())
        } else if flat || a.ty.is_quant() {
            4
        } else {
            1
        };
        let count = dst.elements() / each;
        let params = params::binary::Params {
            count: count as u32,
            ne0: (dst.ne[0] / each) as u32,
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
        let blocks = node.dst.ty.is_quant() || node.source(0).is_ok_and(|a| a.ty.is_quant());
        split::alike(node, usize::from(blocks)..4)
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        let shapes = [
            ([16, 5, 4, 3], [16, 5, 4, 3]),
            ([16, 5, 4, 3], [1, 1, 1, 1]),
            ([16, 5, 4, 3], [16, 1, 1, 1]),
            ([10, 5, 4, 3], [1, 5, 2, 3]),
            ([10, 5, 4, 3], [5, 1, 4, 1]),
        ];
        let types = [(Type::F32, Type::F32), (Type::F16, Type::F16), (Type::F16, Type::F32), (Type::BF16, Type::BF16)];
        for (a, b) in shapes {
            for (ta, tb) in types {
                let divisor = move || Fill::Uniform(0.5, 2.0);
                let case = |op: &str| format!("{op} {ta} {a:?} {tb} {b:?}");
                cases.push(Case::new(case("add"), move |m| m.add(m.input(ta, a), m.input(tb, b))));
                cases.push(Case::new(case("sub"), move |m| m.sub(m.input(ta, a), m.input(tb, b))));
                cases.push(Case::new(case("mul"), move |m| m.mul(m.input(ta, a), m.input(tb, b))));
                cases.push(Case::new(case("div"), move |m| m.div(m.input(ta, a), m.filled(tb, b, divisor()))));
            }
        }
        for ty in [Type::F32, Type::F16, Type::BF16] {
            cases.push(Case::new(format!("add1 {ty}"), move |m| m.add1(m.input(ty, [33, 5, 2, 1]), m.input(Type::F32, [1, 1, 1, 1]))));
        }
        for ty in Type::all().filter(|t| t.is_encoded()) {
            cases.push(Case::new(format!("add to {ty}"), move |m| m.add(m.input(ty, [256, 5, 2, 3]), m.input(Type::F32, [256, 5, 2, 3]))));
            cases.push(Case::new(format!("add1 to {ty}"), move |m| m.add1(m.input(ty, [256, 5, 2, 1]), m.input(Type::F32, [1, 1, 1, 1]))));
        }
        for ty in Type::all().filter(|t| t.is_quant()) {
            cases.push(Case::new(format!("add to {ty} as f32"), move |m| {
                m.add_cast(m.input(ty, [256, 5, 2, 3]), m.input(Type::F32, [256, 5, 2, 3]), sys::GGML_TYPE_F32)
            }));
        }
        cases.push(Case::new("add to q8_0 in place, in the middle of rows", |m| {
            let a = m.input(Type::Q8_0, [96, 6, 1, 1]);
            let nb = m.nb(a);
            let part = m.view(a, [64, 3, 1, 1], [2 * nb[1], nb[2], nb[3]], nb[0] + nb[1]);
            m.also(m.add_inplace(part, m.input(Type::F32, [64, 3, 1, 1])));
            m.cont(a)
        }));
        cases.push(Case::new("add of a tensor to itself", |m| {
            let a = m.input(Type::F32, [20, 6, 1, 1]);
            m.add(a, a)
        }));
        for ne0 in [20, 256] {
            cases.push(Case::new(format!("overlapping rows of {ne0}"), move |m| {
                let a = m.cont(m.input(Type::F32, [ne0, 6, 1, 1]));
                m.add(rows(m, a, 0), rows(m, a, 2))
            }));
            cases.push(Case::new(format!("rows of {ne0} in place"), move |m| {
                let a = m.cont(m.input(Type::F32, [ne0, 6, 1, 1]));
                m.also(m.add_inplace(rows(m, a, 1), m.input(Type::F32, [ne0, 4, 1, 1])));
                m.cont(a)
            }));
        }
        cases.push(Case::new("sub of a permuted tensor", |m| {
            m.sub(m.permute(m.input(Type::F32, [16, 5, 3, 2]), [0, 2, 1, 3]), m.input(Type::F32, [16, 3, 5, 1]))
        }));
        cases.push(Case::new("div of 70000 rows", |m| {
            m.div(m.input(Type::F32, [3, 70_000, 1, 1]), m.filled(Type::F32, [3, 1, 1, 1], Fill::Uniform(0.5, 2.0)))
        }));
        cases
    }
}

/// Four rows of a matrix.
fn rows<'a>(m: &'a Make, a: T<'a>, first: usize) -> T<'a> {
    let nb = m.nb(a);
    m.view(a, [m.ne(a)[0], 4, 1, 1], [nb[1], nb[2], nb[3]], first * nb[1])
}
