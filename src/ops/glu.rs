//! GLU: a function of one source times the other source (or of one half of each row times the other half). F32, F16, BF16.
//! SILU_BACK, the gradient of a gate, is of the same form.

use anyhow::Result;

use super::bind::{read_elementwise, write};
use super::{Case, Planner, Room, case, elem, grid, split};
use crate::ggml::make::Fill;
use crate::ggml::{Node, Tensor, Type, sys};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct Glu;
pub(super) static ROOM: Glu = Glu;

const WG_SIZE: u32 = 256;

fn kind(op: u32) -> Option<&'static str> {
    Some(match op {
        sys::GGML_GLU_OP_REGLU => "reglu",
        sys::GGML_GLU_OP_GEGLU => "gelu",
        sys::GGML_GLU_OP_SWIGLU => "silu",
        sys::GGML_GLU_OP_SWIGLU_OAI => "oai",
        sys::GGML_GLU_OP_GEGLU_ERF => "gelu_erf",
        sys::GGML_GLU_OP_GEGLU_QUICK => "gelu_quick",
        sys::GGML_GLU_OP_SWIGLU_CLAMP => "clamped",
        _ => return None,
    })
}

/// Bytes from each row to the next, counted over all dimensions; ggml's constructors see to it that there is one distance.
fn row_distance(t: &Tensor) -> Result<u64> {
    let mut distance = None;
    let mut rows = 1;
    for d in 1..4 {
        if t.ne[d] > 1 {
            let first = *distance.get_or_insert(t.nb[d]);
            if t.nb[d] != first * rows {
                crate::unsupported!("rows at several distances ({:?} bytes)", t.nb);
            }
            rows *= t.ne[d];
        }
    }
    Ok(distance.unwrap_or(t.nb[1]))
}

impl Room for Glu {
    type Choice = &'static str;

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<&'static str> {
        let kind = match node.op {
            sys::GGML_OP_SILU_BACK => Some("silu_back"),
            _ => kind(node.params.u32(0)),
        };
        let Some(kind) = kind else { crate::unsupported!("the kind {} of GLU", node.params.i32(0)) };
        for t in node.sources().chain([&node.dst]) {
            elem::need_float(t)?;
            elem::need_rows(t, "GLU")?;
            elem::need(t, node.dst.ty, "a source")?;
            row_distance(t)?;
        }
        Ok(kind)
    }

    fn plan(&self, node: &Node, kind: &&'static str, planner: &mut Planner<'_>) -> Result<()> {
        let (a, dst) = (node.source(0)?, &node.dst);
        let b = node.src[1].as_ref().unwrap_or(a);
        let caps = planner.caps();
        let ty = dst.ty;
        let vector = [a, b, dst].iter().all(|t| elem::vector_rows(t, caps)) && dst.ne[0].is_multiple_of(4);
        let (word, dst_word) = (elem::word(ty, caps, vector, false), elem::word(ty, caps, vector, true));
        let bound = planner.bind(&[read_elementwise("src0", a, word), read_elementwise("src1", b, word), write("dst", dst, dst_word)])?;
        // With one source, the gate is the first half, or the second if they are swapped.
        let half = if node.src[1].is_none() { dst.row_bytes() as u32 } else { 0 };
        let (skip0, skip1) = if node.params.i32(1) != 0 { (half, 0) } else { (0, half) };
        let step = if vector { 4 } else { 1 };
        let count = dst.elements() / step;
        let wg_size = WG_SIZE.min(caps.max_invocations);
        let variant = Variant::new("glu")
            .define("KIND", *kind)
            .define("TYPE", ty.name())
            .define("WORD", word)
            .define("DST_WORD", dst_word)
            .number("STEP", format!("{}u", step * u64::from(ty.bytes())))
            .flag("VEC", vector)
            .constant("wg_size", wg_size);
        let params = params::glu::Params {
            count: count as u32,
            ne0: (dst.ne[0] / step) as u32,
            src0_offset: bound.offset("src0")? + skip0,
            src0_nb1: row_distance(a)? as u32,
            src1_offset: bound.offset("src1")? + skip1,
            src1_nb1: row_distance(b)? as u32,
            dst_offset: bound.offset("dst")?,
            dst_nb1: row_distance(dst)? as u32,
            alpha: node.params.f32(2),
            limit: node.params.f32(3),
        };
        planner.dispatch(variant, &bound, &params, grid::groups(count, wg_size))
    }

    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        split::alike(node, 1..4)
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        let kinds = [
            sys::GGML_GLU_OP_REGLU,
            sys::GGML_GLU_OP_GEGLU,
            sys::GGML_GLU_OP_SWIGLU,
            sys::GGML_GLU_OP_GEGLU_ERF,
            sys::GGML_GLU_OP_GEGLU_QUICK,
        ];
        for op in kinds {
            let name = kind(op).unwrap_or_default();
            for ty in [Type::F32, Type::F16, Type::BF16] {
                for ne0 in [64, 10] {
                    cases.push(Case::new(format!("{name} of halves, {ty} {ne0}"), move |m| {
                        m.glu(m.filled(ty, [2 * ne0, 5, 3, 2], Fill::Uniform(-20.0, 20.0)), op, false)
                    }));
                    let split = Case::new(format!("{name} split, {ty} {ne0}"), move |m| {
                        m.glu_split(m.input(ty, [ne0, 5, 3, 2]), m.input(ty, [ne0, 5, 3, 2]), op)
                    });
                    // The CPU looks f16 up in tables of f16: one more rounding.
                    cases.push(split.tolerance(if ty == Type::F16 { case::NMSE_F16 } else { case::NMSE }));
                }
            }
            cases.push(Case::new(format!("{name} of swapped halves of rows of a wider tensor"), move |m| {
                let a = m.input(Type::F32, [32, 7, 1, 1]);
                let nb = m.nb(a);
                m.glu(m.view(a, [24, 7, 1, 1], [nb[1], nb[2], nb[3]], 4), op, true)
            }));
        }
        for (ne0, limit) in [(64, 7.0), (9, 0.5)] {
            let pair = [ne0, 6, 2, 1];
            cases.push(Case::new(format!("oai {ne0} {limit}"), move |m| {
                m.swiglu_oai(m.filled(Type::F32, pair, Fill::Uniform(-20.0, 20.0)), m.input(Type::F32, pair), 1.702, limit)
            }));
            cases.push(Case::new(format!("clamped {ne0} {limit}"), move |m| {
                m.swiglu_clamp(m.filled(Type::F32, pair, Fill::Uniform(-20.0, 20.0)), m.input(Type::F32, pair), limit)
            }));
        }
        for (ty, ne) in [(Type::F32, [64, 5, 4, 3]), (Type::F32, [9, 5, 1, 1]), (Type::F16, [12, 3, 1, 1])] {
            cases.push(Case::new(format!("silu_back {ty} {ne:?}"), move |m| {
                m.silu_back(m.input(ty, ne), m.filled(ty, ne, Fill::Uniform(-9.0, 9.0)))
            }));
        }
        cases.push(Case::new("large values stay finite", |m| {
            let a = m.filled(Type::F32, [8, 3, 1, 1], Fill::Values(vec![-1e30, -200.0, -88.0, -0.0, 0.0, 88.0, 200.0, 1e18]));
            let b = m.filled(Type::F32, [8, 3, 1, 1], Fill::Values(vec![1.0]));
            m.also(m.glu_split(a, b, sys::GGML_GLU_OP_GEGLU));
            m.also(m.glu_split(a, b, sys::GGML_GLU_OP_GEGLU_ERF));
            m.glu_split(a, b, sys::GGML_GLU_OP_SWIGLU)
        }));
        cases.push(Case::new("split of two views of one result", |m| {
            let both = m.add(m.input(Type::F32, [40, 6, 1, 1]), m.input(Type::F32, [40, 6, 1, 1]));
            let nb = m.nb(both);
            let part = |offset| m.view(both, [20, 6, 1, 1], [nb[1], nb[2], nb[3]], offset);
            m.glu_split(part(0), part(80), sys::GGML_GLU_OP_SWIGLU)
        }));
        cases.push(Case::new("70000 rows", |m| m.glu(m.input(Type::F16, [6, 70_000, 1, 1]), sys::GGML_GLU_OP_SWIGLU, false)));
        cases
    }
}
