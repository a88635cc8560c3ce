//! OPT_STEP_ADAMW and OPT_STEP_SGD: a step of training on F32 weights, in place.

use anyhow::Result;

use super::bind::{read, write};
use super::{Case, Planner, Room, elem, grid, split};
use crate::ggml::make::Fill;
use crate::ggml::{Node, Type, sys};
use crate::gpu::Caps;
use crate::shader::{Variant, View, params};

pub(super) struct OptStep;
pub(super) static ROOM: OptStep = OptStep;

const WG_SIZE: u32 = 256;

impl Room for OptStep {
    /// Whether it is ADAMW.
    type Choice = bool;

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<bool> {
        for t in node.sources().chain([&node.dst]) {
            elem::need(t, Type::F32, "a tensor")?;
        }
        let adamw = node.op == sys::GGML_OP_OPT_STEP_ADAMW;
        let (own, numbers) = (node.source(if adamw { 4 } else { 2 })?, if adamw { 7 } else { 2 });
        if own.elements() != numbers || !own.contiguous() {
            crate::unsupported!("{:?} numbers ({numbers} are needed)", own.ne);
        }
        Ok(adamw)
    }

    fn plan(&self, node: &Node, &adamw: &bool, planner: &mut Planner<'_>) -> Result<()> {
        // The result is a view of the first source: the weights.
        let (weight, grad) = (&node.dst, node.source(1)?);
        let own = node.source(if adamw { 4 } else { 2 })?;
        let mut operands = vec![write("weight", weight, "f32"), read("grad", grad, "f32"), read("own", own, "f32")];
        let (mut mean_view, mut square_view) = (View::default(), View::default());
        if adamw {
            operands.push(write("mean", node.source(2)?, "f32"));
            operands.push(write("square", node.source(3)?, "f32"));
        }
        let bound = planner.bind(&operands)?;
        if adamw {
            mean_view = bound.view("mean", node.source(2)?)?;
            square_view = bound.view("square", node.source(3)?)?;
        }
        let params = params::opt_step::Params {
            count: weight.elements() as u32,
            ne0: weight.ne[0] as u32,
            ne1: weight.ne[1] as u32,
            ne2: weight.ne[2] as u32,
            own_offset: bound.offset("own")?,
            weight_view: bound.view("weight", weight)?,
            grad_view: bound.view("grad", grad)?,
            mean_view,
            square_view,
        };
        let wg_size = WG_SIZE.min(planner.caps().max_invocations);
        let variant = Variant::new("opt_step").flag("ADAMW", adamw).constant("wg_size", wg_size);
        planner.dispatch(variant, &bound, &params, grid::groups(weight.elements(), wg_size))
    }

    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        let mut axes = split::alike(node, 0..4);
        let own = if node.op == sys::GGML_OP_OPT_STEP_ADAMW { 4 } else { 2 };
        for axis in &mut axes {
            axis.sources[own] = split::Follow::Whole;
        }
        axes
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for ne in [[10, 5, 4, 3], [129, 1, 1, 1]] {
            cases.push(Case::new(format!("adamw {ne:?}"), move |m| {
                let weight = m.param(m.input(Type::F32, ne));
                let (mean, square) = (m.input(Type::F32, ne), m.filled(Type::F32, ne, Fill::Uniform(0.1, 1.0)));
                let own = m.filled(Type::F32, [7, 1, 1, 1], Fill::Values(vec![0.1, 0.9, 0.99, 1e-3, 0.1, 1.5, 1.2]));
                m.also(m.opt_step_adamw(weight, m.input(Type::F32, ne), mean, square, own));
                // The means are results too.
                m.add(m.cont(mean), m.cont(square))
            }));
            cases.push(Case::new(format!("sgd {ne:?}"), move |m| {
                let weight = m.param(m.input(Type::F32, ne));
                let own = m.filled(Type::F32, [2, 1, 1, 1], Fill::Values(vec![0.1, 0.05]));
                m.opt_step_sgd(weight, m.input(Type::F32, ne), own)
            }));
        }
        cases
    }
}
