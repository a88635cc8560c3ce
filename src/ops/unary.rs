//! Ops that map one element: UNARY in all its kinds, SQR, SQRT, LOG, SIN, COS, LEAKY_RELU, CLAMP, SCALE, and FILL, which has no
//! source. F32, F16, BF16, any strides.

use anyhow::Result;

use super::bind::{read_elementwise, write};
use super::layout::{self, Pair};
use super::{Case, Planner, Room, case, elem, grid, split};
use crate::ggml::make::Fill;
use crate::ggml::{Node, Type, sys};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct Unary;
pub(super) static ROOM: Unary = Unary;

const WG_SIZE: u32 = 256;

/// The shader's function for a kind of UNARY.
fn kind(op: u32) -> Option<&'static str> {
    Some(match op {
        sys::GGML_UNARY_OP_ABS => "abs",
        sys::GGML_UNARY_OP_SGN => "sgn",
        sys::GGML_UNARY_OP_NEG => "neg",
        sys::GGML_UNARY_OP_STEP => "step_",
        sys::GGML_UNARY_OP_TANH => "tanh_",
        sys::GGML_UNARY_OP_ELU => "elu",
        sys::GGML_UNARY_OP_RELU => "relu",
        sys::GGML_UNARY_OP_SIGMOID => "sigmoid",
        sys::GGML_UNARY_OP_GELU => "gelu",
        sys::GGML_UNARY_OP_GELU_QUICK => "gelu_quick",
        sys::GGML_UNARY_OP_SILU => "silu",
        sys::GGML_UNARY_OP_HARDSWISH => "hardswish",
        sys::GGML_UNARY_OP_HARDSIGMOID => "hardsigmoid",
        sys::GGML_UNARY_OP_EXP => "exp",
        sys::GGML_UNARY_OP_EXPM1 => "expm1_",
        sys::GGML_UNARY_OP_SOFTPLUS => "softplus",
        sys::GGML_UNARY_OP_GELU_ERF => "gelu_erf",
        sys::GGML_UNARY_OP_XIELU => "xielu",
        sys::GGML_UNARY_OP_FLOOR => "floor",
        sys::GGML_UNARY_OP_CEIL => "ceil",
        sys::GGML_UNARY_OP_ROUND => "round_",
        sys::GGML_UNARY_OP_TRUNC => "trunc",
        _ => return None,
    })
}

pub(super) struct Choice {
    function: &'static str,
    /// The op's own parameters.
    own: [f32; 4],
}

impl Room for Unary {
    type Choice = Choice;

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<Choice> {
        elem::need_float(node.source(0)?)?;
        elem::need_float(&node.dst)?;
        let p = |i: usize| node.params.f32(i);
        let (function, own) = match node.op {
            sys::GGML_OP_SQR => ("sqr", [0.0; 4]),
            sys::GGML_OP_SQRT => ("sqrt", [0.0; 4]),
            sys::GGML_OP_LOG => ("log", [0.0; 4]),
            sys::GGML_OP_SIN => ("sin_", [0.0; 4]),
            sys::GGML_OP_COS => ("cos_", [0.0; 4]),
            sys::GGML_OP_LEAKY_RELU => ("leaky_relu", [p(0), 0.0, 0.0, 0.0]),
            sys::GGML_OP_CLAMP => ("clamp_", [p(0), p(1), 0.0, 0.0]),
            sys::GGML_OP_SCALE => ("scale", [p(0), p(1), 0.0, 0.0]),
            sys::GGML_OP_FILL => ("fill", [p(0), 0.0, 0.0, 0.0]),
            _ => match kind(node.params.u32(0)) {
                Some(function) => (function, [p(1), p(2), p(3), p(4)]),
                None => crate::unsupported!("the kind {} of UNARY", node.params.i32(0)),
            },
        };
        Ok(Choice { function, own })
    }

    fn plan(&self, node: &Node, choice: &Choice, planner: &mut Planner<'_>) -> Result<()> {
        let (src, dst) = (node.source(0)?, &node.dst);
        let fill = node.op == sys::GGML_OP_FILL;
        let Some(pair) = Pair::new(if fill { dst } else { src }, dst) else {
            crate::unsupported!("{:?} from {:?}", dst.ne, src.ne);
        };
        let caps = planner.caps();
        let vector = pair.vectors(if fill { dst } else { src }, dst, caps);
        let (src_word, dst_word) = (elem::word(src.ty, caps, vector, false), elem::word(dst.ty, caps, vector, true));
        let mut operands = vec![write("dst", dst, dst_word)];
        if !fill {
            operands.push(read_elementwise("src", src, src_word));
        }
        let bound = planner.bind(&operands)?;
        let (src_offset, dst_offset) = (if fill { 0 } else { bound.offset("src")? }, bound.offset("dst")?);
        let step = if vector { 4 } else { 1 };
        let wg_size = WG_SIZE.min(caps.max_invocations);
        let variant = Variant::new("unary").define("OP", choice.function).flag("FILL", fill).flag("VEC", vector);
        let variant = elem::define(variant.constant("wg_size", wg_size), &[("SRC", src.ty, src_word), ("DST", dst.ty, dst_word)])
            .number("SRC_STEP", format!("{}u", step * src.ty.bytes()))
            .number("DST_STEP", format!("{}u", step * dst.ty.bytes()));
        for (pair, a, b) in pair.with_rows(u64::from(src.ty.bytes()), u64::from(dst.ty.bytes())) {
            let count = pair.elements() / u64::from(step);
            let (from, to) = (layout::view(src_offset, pair.ne, pair.a)?, layout::view(dst_offset, pair.ne, pair.b)?);
            let params = params::unary::Params {
                count: count as u32,
                ne0: pair.ne[0] as u32 / step,
                ne1: pair.ne[1] as u32,
                ne2: pair.ne[2] as u32,
                src_offset: from.offset + a as u32,
                src_nb1: from.nb[1],
                src_nb2: from.nb[2],
                src_nb3: from.nb[3],
                dst_offset: to.offset + b as u32,
                dst_nb1: to.nb[1],
                dst_nb2: to.nb[2],
                dst_nb3: to.nb[3],
                p0: choice.own[0],
                p1: choice.own[1],
                p2: choice.own[2],
                p3: choice.own[3],
            };
            planner.dispatch(variant.clone(), &bound, &params, grid::groups(count, wg_size))?;
        }
        Ok(())
    }

    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        split::alike(node, 0..4)
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for op in 0..sys::GGML_UNARY_OP_COUNT {
            let Some(name) = kind(op) else { continue };
            if op == sys::GGML_UNARY_OP_XIELU {
                continue;
            }
            let shapes = [(Type::F32, [64, 5, 2, 1]), (Type::F32, [7, 5, 2, 3]), (Type::F16, [10, 5, 1, 1]), (Type::BF16, [12, 5, 1, 1])];
            for (ty, ne) in shapes {
                let case = Case::new(format!("{name} {ty} {ne:?}"), move |m| m.unary(m.filled(ty, ne, Fill::Uniform(-6.0, 6.0)), op));
                cases.push(case.tolerance(if ty == Type::F16 { case::NMSE_F16 } else { case::NMSE }));
            }
            // Where a formula might overflow on the way, halves, and what is not a number.
            // The CPU finds gelu_quick in a table of f16, and a NaN for what f16 cannot hold.
            let lowest = if op == sys::GGML_UNARY_OP_GELU_QUICK { -6e4 } else { -1e30 };
            let hard = vec![lowest, -200.0, -90.0, -10.5, -2.5, -0.5, -0.0, 0.0, 0.49999997, 0.5, 1.5, 2.5, 10.5, 19.0, 21.0, 87.0];
            let hard = [hard, vec![200.0, f32::INFINITY, f32::NAN, -1e-4]].concat();
            cases.push(Case::new(format!("{name} of large values"), move |m| {
                m.unary(m.filled(Type::F32, [20, 1, 1, 1], Fill::Values(hard.clone())), op)
            }));
        }
        for (ty, ne) in [(Type::F32, [64, 5, 2, 1]), (Type::F16, [7, 5, 2, 3])] {
            cases.push(Case::new(format!("xielu {ty}"), move |m| {
                m.xielu(m.filled(ty, ne, Fill::Uniform(-6.0, 6.0)), 4.0, 20.0, 0.5, -1e-6)
            }));
            cases.push(Case::new(format!("sqr {ty}"), move |m| m.sqr(m.input(ty, ne))));
            cases.push(Case::new(format!("sqrt {ty}"), move |m| m.sqrt(m.filled(ty, ne, Fill::Uniform(0.1, 9.0)))));
            cases.push(Case::new(format!("log {ty}"), move |m| m.log(m.filled(ty, ne, Fill::Uniform(0.1, 9.0)))));
            cases.push(Case::new(format!("sin {ty}"), move |m| m.sin(m.filled(ty, ne, Fill::Uniform(-900.0, 900.0)))));
            cases.push(Case::new(format!("cos {ty}"), move |m| m.cos(m.filled(ty, ne, Fill::Uniform(-900.0, 900.0)))));
            cases.push(Case::new(format!("leaky_relu {ty}"), move |m| m.leaky_relu(m.input(ty, ne), 0.1, false)));
            cases.push(Case::new(format!("clamp {ty}"), move |m| m.clamp(m.input(ty, ne), -0.5, 0.25)));
            cases.push(Case::new(format!("fill {ty}"), move |m| m.fill(m.input(ty, ne), 2.5)));
        }
        cases.push(Case::new("scale and bias", |m| m.scale_bias(m.input(Type::F32, [33, 5, 2, 1]), 1.5, -0.25)));
        cases.push(Case::new("scale in place", |m| {
            let a = m.add(m.input(Type::F32, [20, 256, 1, 1]), m.input(Type::F32, [20, 256, 1, 1]));
            m.scale_inplace(a, 3.0)
        }));
        cases.push(Case::new("neg of rows of a wider tensor in place", |m| {
            let a = m.input(Type::F32, [30, 6, 2, 1]);
            let nb = m.nb(a);
            m.also(m.unary_inplace(m.view(a, [20, 5, 2, 1], [nb[1], nb[2], nb[3]], 12 + nb[1]), sys::GGML_UNARY_OP_NEG));
            m.cont(a)
        }));
        cases.push(Case::new("relu of a permuted tensor", |m| {
            m.unary(m.permute(m.input(Type::F32, [8, 5, 3, 2]), [0, 2, 3, 1]), sys::GGML_UNARY_OP_RELU)
        }));
        cases.push(Case::new("exp of 70000 rows", |m| {
            m.unary(m.permute(m.input(Type::F32, [3, 2, 70_000, 1]), [0, 2, 1, 3]), sys::GGML_UNARY_OP_EXP)
        }));
        cases
    }
}
