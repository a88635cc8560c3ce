//! SOFT_MAX on F32 rows, with mask, ALiBi and sinks, and SOFT_MAX_BACK.

use anyhow::Result;

use super::bind::{read, read_elementwise, write};
use super::norm::row_size;
use super::{Case, Planner, Room, elem, split};
use crate::ggml::make::Fill;
use crate::ggml::{Node, Type, sys};
use crate::gpu::Caps;
use crate::shader::{Variant, View, params};

pub(super) struct SoftMax;
pub(super) static ROOM: SoftMax = SoftMax;

impl Room for SoftMax {
    type Choice = Variant;

    fn choose(&self, node: &Node, caps: &Caps) -> Result<Variant> {
        elem::need(node.source(0)?, Type::F32, "a source")?;
        elem::need(&node.dst, Type::F32, "a result")?;
        let back = node.op == sys::GGML_OP_SOFT_MAX_BACK;
        if back {
            // A bias does not change the derivative: it moved only the mask.
            elem::need(node.source(1)?, Type::F32, "a source")?;
        } else {
            if let Some(mask) = &node.src[1]
                && !matches!(mask.ty, Type::F32 | Type::F16)
            {
                crate::unsupported!("a mask of the type {}", mask.ty);
            }
            if let Some(sinks) = &node.src[2] {
                elem::need(sinks, Type::F32, "sinks")?;
                elem::need_rows(sinks, "sinks")?;
            }
        }
        Ok(Variant::new(if back { "soft_max_back" } else { "soft_max" })
            .constant("wg_size", row_size(node.dst.ne[0], caps))
            .flag("SUBGROUPS", caps.subgroups.is_some()))
    }

    fn plan(&self, node: &Node, choice: &Variant, planner: &mut Planner<'_>) -> Result<()> {
        if node.op == sys::GGML_OP_SOFT_MAX_BACK {
            return back(node, choice, planner);
        }
        let (src, dst) = (node.source(0)?, &node.dst);
        let (mask, sinks) = (node.src[1].as_ref(), node.src[2].as_ref());
        let caps = planner.caps();
        let vector = [Some(src), Some(dst), mask].into_iter().flatten().all(|t| elem::vector_rows(t, caps));
        let word = elem::word(Type::F32, caps, vector, false);
        let mut variant = choice.clone().define("WORD", word).flag("VEC", vector).flag("SINKS", sinks.is_some());
        let mut operands = vec![read_elementwise("src", src, word), write("dst", dst, word)];
        if let Some(mask) = mask {
            let word = elem::word(mask.ty, caps, vector, false);
            operands.push(read("mask", mask, word));
            variant = elem::define(variant, &[("MASK", mask.ty, word)]);
        }
        if let Some(sinks) = sinks {
            operands.push(read("sinks", sinks, "f32"));
        }
        let bound = planner.bind(&operands)?;

        let max_bias = node.params.f32(1);
        // Slopes as powers of two numbers: the CPU's, already rounded.
        let heads = 1 << dst.ne[2].max(1).ilog2();
        let log = |bias: f32| if max_bias > 0.0 { f64::from((-bias / heads as f32).exp2()).log2() as f32 } else { 0.0 };
        let params = params::soft_max::Params {
            rows: dst.rows() as u32,
            ne0: dst.ne[0] as u32,
            ne1: dst.ne[1] as u32,
            ne2: dst.ne[2] as u32,
            scale: node.params.f32(0),
            log_low: log(max_bias),
            log_high: log(max_bias / 2.0),
            heads,
            src_view: bound.view("src", src)?,
            dst_view: bound.view("dst", dst)?,
            mask_ne2: mask.map_or(1, |m| m.ne[2]) as u32,
            mask_ne3: mask.map_or(1, |m| m.ne[3]) as u32,
            mask_view: mask.map_or(Ok(View::default()), |m| bound.view("mask", m))?,
            sinks_offset: if sinks.is_some() { bound.offset("sinks")? } else { 0 },
        };
        planner.dispatch(variant, &bound, &params, dst.rows())
    }

    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        use split::Follow::{Repeat, Same, Whole};
        if node.op == sys::GGML_OP_SOFT_MAX_BACK {
            return split::alike(node, 1..4);
        }
        // Slopes and sinks belong to heads: those stay together if there are slopes.
        let dims = if node.params.f32(1) > 0.0 { [3, 1].as_slice() } else { &[3, 2, 1] };
        let axis = |&dim: &usize| {
            let repeats = dim > 1 && node.src[1].as_ref().is_some_and(|m| m.ne[dim] != node.dst.ne[dim]);
            let mask = if repeats { Repeat(dim) } else { Same(dim) };
            split::Axis { dim, step: 1, sources: vec![Same(dim), mask, if dim == 2 { Same(0) } else { Whole }] }
        };
        dims.iter().map(axis).collect()
    }

    fn cases(&self) -> Vec<Case> {
        cases()
    }
}

fn back(node: &Node, choice: &Variant, planner: &mut Planner<'_>) -> Result<()> {
    let (dy, y, dst) = (node.source(0)?, node.source(1)?, &node.dst);
    let caps = planner.caps();
    let vector = [dy, y, dst].iter().all(|t| elem::vector_rows(t, caps));
    let word = elem::word(Type::F32, caps, vector, false);
    let bound = planner.bind(&[read_elementwise("src0", dy, word), read_elementwise("src1", y, word), write("dst", dst, word)])?;
    let params = params::soft_max_back::Params {
        rows: dst.rows() as u32,
        ne0: dst.ne[0] as u32,
        ne1: dst.ne[1] as u32,
        ne2: dst.ne[2] as u32,
        scale: node.params.f32(0),
        src0_view: bound.view("src0", dy)?,
        src1_view: bound.view("src1", y)?,
        dst_view: bound.view("dst", dst)?,
    };
    planner.dispatch(choice.clone().define("WORD", word).flag("VEC", vector), &bound, &params, dst.rows())
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for ne in [[64, 5, 4, 3], [1025, 3, 2, 1], [4, 1, 1, 1], [1, 7, 1, 1], [20_000, 2, 1, 1]] {
        cases.push(Case::new(format!("soft_max {ne:?}"), move |m| m.soft_max(m.filled(Type::F32, ne, Fill::Uniform(-10.0, 10.0)))));
        cases.push(Case::new(format!("soft_max_back {ne:?}"), move |m| {
            m.soft_max_ext_back(m.input(Type::F32, ne), m.input(Type::F32, ne), 0.3, 0.0)
        }));
    }
    for ty in [Type::F32, Type::F16] {
        for (ne, mask_ne) in [([96, 7, 6, 4], [96, 7, 1, 1]), ([33, 5, 6, 4], [33, 8, 3, 2])] {
            for max_bias in [0.0, 8.0] {
                cases.push(Case::new(format!("{ne:?}, {ty} mask {mask_ne:?}, bias {max_bias}"), move |m| {
                    m.soft_max_ext(m.input(Type::F32, ne), Some(m.input(ty, mask_ne)), 0.7, max_bias)
                }));
            }
        }
    }
    cases.push(Case::new("mask of -inf, sinks", |m| {
        let out = m.soft_max_ext(m.input(Type::F32, [257, 3, 8, 2]), Some(m.filled(Type::F16, [257, 3, 1, 1], Fill::Mask)), 0.1, 0.0);
        m.soft_max_add_sinks(out, m.input(Type::F32, [8, 1, 1, 1]))
    }));
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    for (name, values) in [("-inf", vec![-inf]), ("inf", vec![0.0, inf, 1.0]), ("NaN", vec![0.0, nan, 1.0]), ("some -inf", vec![-inf, 1.0])]
    {
        cases.push(Case::new(format!("rows of {name}"), move |m| {
            m.soft_max(m.filled(Type::F32, [36, 2, 1, 1], Fill::Values(values.clone())))
        }));
    }
    cases.push(Case::new("70000 rows", |m| m.soft_max(m.input(Type::F32, [8, 35_000, 2, 1]))));
    cases.push(Case::new("in place", |m| m.soft_max_inplace(m.add(m.input(Type::F32, [64, 7, 1, 1]), m.input(Type::F32, [64, 7, 1, 1])))));
    cases.push(Case::new("back in place", |m| {
        let a = m.add(m.input(Type::F32, [64, 7, 1, 1]), m.input(Type::F32, [64, 7, 1, 1]));
        m.soft_max_ext_back_inplace(a, m.input(Type::F32, [64, 7, 1, 1]), 1.0, 0.0)
    }));
    cases
}
