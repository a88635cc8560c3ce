//! NORM, RMS_NORM, L2_NORM on F32 rows, and two fusions: RMS_NORM with the MUL behind it and the ADD before it.

use anyhow::Result;

use super::bind::{read, read_elementwise, write};
use super::{Case, Planner, Room, elem, split};
use crate::ggml::{Node, Tensor, Type, sys};
use crate::gpu::Caps;
use crate::shader::{Variant, View, params};

pub(super) struct Norm;
pub(super) static ROOM: Norm = Norm;

/// Invocations for a row: shorter rows get smaller workgroups.
pub fn row_size(row: u64, caps: &Caps) -> u32 {
    let wanted = (row.div_ceil(4)).next_power_of_two().clamp(32, 512) as u32;
    wanted.min(1 << caps.max_invocations.ilog2())
}

fn kind(op: sys::ggml_op) -> &'static str {
    match op {
        sys::GGML_OP_NORM => "norm",
        sys::GGML_OP_RMS_NORM => "rms",
        _ => "l2",
    }
}

impl Room for Norm {
    type Choice = Variant;

    fn choose(&self, node: &Node, caps: &Caps) -> Result<Variant> {
        elem::need(node.source(0)?, Type::F32, "a source")?;
        elem::need(&node.dst, Type::F32, "a result")?;
        let wg_size = row_size(node.dst.ne[0], caps);
        Ok(Variant::new("norm").define("KIND", kind(node.op)).constant("wg_size", wg_size).flag("SUBGROUPS", caps.subgroups.is_some()))
    }

    fn plan(&self, node: &Node, choice: &Variant, planner: &mut Planner<'_>) -> Result<()> {
        rows(planner, choice, node.source(0)?, &node.dst, node.params.f32(0), None, None)
    }

    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        split::alike(node, 1..4)
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for ne in [[64, 5, 4, 3], [1025, 3, 2, 1], [4, 1, 1, 1]] {
            for eps in [0.0, 1e-6, 0.1] {
                cases.push(Case::new(format!("norm {ne:?} eps {eps}"), move |m| m.norm(m.input(Type::F32, ne), eps)));
                cases.push(Case::new(format!("rms_norm {ne:?} eps {eps}"), move |m| m.rms_norm(m.input(Type::F32, ne), eps)));
                cases.push(Case::new(format!("l2_norm {ne:?} eps {eps}"), move |m| m.l2_norm(m.input(Type::F32, ne), eps)));
            }
        }
        cases.push(Case::new("rms_norm of a permuted tensor", |m| {
            m.rms_norm(m.permute(m.input(Type::F32, [64, 5, 3, 2]), [0, 2, 1, 3]), 1e-6)
        }));
        cases.push(Case::new("rms_norm of 70000 rows", |m| m.rms_norm(m.input(Type::F32, [8, 70_000, 1, 1]), 1e-6)));
        cases.push(Case::new("rms_norm in place", |m| {
            let a = m.add(m.input(Type::F32, [64, 7, 1, 1]), m.input(Type::F32, [64, 7, 1, 1]));
            m.rms_norm_inplace(a, 1e-6)
        }));
        for ne in [[64, 5, 4, 3], [1025, 3, 2, 1]] {
            cases.push(Case::new(format!("rms_norm + mul {ne:?}"), move |m| {
                m.mul(m.rms_norm(m.input(Type::F32, ne), 1e-6), m.input(Type::F32, [ne[0], 1, 1, 1]))
            }));
            cases.push(Case::new(format!("add + rms_norm + mul {ne:?}"), move |m| {
                let sum = m.add(m.input(Type::F32, ne), m.input(Type::F32, ne));
                let scaled = m.mul(m.rms_norm(sum, 1e-6), m.input(Type::F32, [ne[0], 1, 1, 1]));
                m.add(scaled, sum)
            }));
        }
        cases
    }
}

/// RMS_NORM and the MUL that alone uses it. False if the shapes don't fit.
pub fn rms_norm_mul(nodes: &[&Node], planner: &mut Planner<'_>) -> Result<bool> {
    let [norm, mul] = nodes else { return Ok(false) };
    // `fused` checks that the MUL uses the norm.
    fused(None, norm, mul, planner)
}

/// ADD, the RMS_NORM of its result, and the MUL that alone uses that. The sum is kept. False if the shapes don't fit.
pub fn add_rms_norm_mul(nodes: &[&Node], planner: &mut Planner<'_>) -> Result<bool> {
    let [add, norm, mul] = nodes else { return Ok(false) };
    let (a, b) = (add.source(0)?, add.source(1)?);
    let plain = [a, b, &add.dst].iter().all(|t| t.ty == Type::F32 && t.rows_contiguous()) && a.same_shape(b);
    if !plain || norm.source(0)?.id != add.dst.id {
        return Ok(false);
    }
    fused(Some(add), norm, mul, planner)
}

fn fused(add: Option<&Node>, norm: &Node, mul: &Node, planner: &mut Planner<'_>) -> Result<bool> {
    let (a, b) = (mul.source(0)?, mul.source(1)?);
    let weight = if a.id == norm.dst.id { b } else { a };
    let fits = (a.id == norm.dst.id) != (b.id == norm.dst.id)
        && weight.ty == Type::F32
        && mul.dst.ty == Type::F32
        && weight.repeats_into(&norm.dst)
        && mul.dst.same_shape(&norm.dst);
    if !fits || ROOM.choose(norm, planner.caps()).is_err() {
        return Ok(false);
    }
    let choice = ROOM.choose(norm, planner.caps())?;
    let source = add.map_or(norm.source(0), |add| add.source(0))?;
    rows(planner, &choice, source, &mul.dst, norm.params.f32(0), Some(weight), add)?;
    Ok(true)
}

fn rows(
    planner: &mut Planner<'_>,
    choice: &Variant,
    source: &Tensor,
    dst: &Tensor,
    eps: f32,
    weight: Option<&Tensor>,
    add: Option<&Node>,
) -> Result<()> {
    let caps = planner.caps();
    let mut vector = elem::vector_rows(source, caps) && elem::vector_rows(dst, caps);
    vector &= weight.is_none_or(|w| elem::vector_rows(w, caps) && w.ne[0] == dst.ne[0]);
    if let Some(add) = add {
        vector &= elem::vector_rows(add.source(1)?, caps) && elem::vector_rows(&add.dst, caps);
    }
    let word = elem::word(Type::F32, caps, vector, false);
    let mut operands = vec![read_elementwise("src", source, word), write("dst", dst, word)];
    if let Some(add) = add {
        operands.push(read_elementwise("add", add.source(1)?, word));
        operands.push(write("sum", &add.dst, word));
    }
    if let Some(weight) = weight {
        operands.push(read("mul", weight, word));
    }
    let bound = planner.bind(&operands)?;
    let view = |name: &str, tensor: Option<&Tensor>| tensor.map_or(Ok(View::default()), |t| bound.view(name, t));
    let variant = choice
        .clone()
        .define("WORD", word)
        .flag("VEC", vector)
        .flag("mul_VEC", vector)
        .flag("MUL", weight.is_some())
        .flag("ADD", add.is_some());
    let weight_ne = weight.map_or([1; 4], |w| w.ne);
    let rows = dst.rows();
    let params = params::norm::Params {
        rows: rows as u32,
        ne0: dst.ne[0] as u32,
        ne1: dst.ne[1] as u32,
        ne2: dst.ne[2] as u32,
        eps,
        src_view: view("src", Some(source))?,
        dst_view: view("dst", Some(dst))?,
        mul_ne0: weight_ne[0] as u32,
        mul_ne1: weight_ne[1] as u32,
        mul_ne2: weight_ne[2] as u32,
        mul_ne3: weight_ne[3] as u32,
        mul_view: view("mul", weight)?,
        add_view: view("add", add.map(|n| n.source(1)).transpose()?)?,
        sum_view: view("sum", add.map(|n| &n.dst))?,
    };
    planner.dispatch(variant, &bound, &params, rows)
}
