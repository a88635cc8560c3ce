//! F32 numbers made from an index: ARANGE, and TIMESTEP_EMBEDDING.

use anyhow::Result;

use super::bind::{read, write};
use super::split::{Axis, Follow};
use super::{Case, Planner, Room, elem, grid};
use crate::ggml::make::Fill;
use crate::ggml::{Node, Type, sys};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct Arange;
pub(super) static ROOM: Arange = Arange;

const WG_SIZE: u32 = 256;

impl Room for Arange {
    type Choice = ();

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<()> {
        for t in node.sources().chain([&node.dst]) {
            elem::need(t, Type::F32, "a tensor")?;
            elem::need_rows(t, "a tensor")?;
        }
        if node.op == sys::GGML_OP_TIMESTEP_EMBEDDING {
            let (src, dst) = (node.source(0)?, &node.dst);
            let dim = node.params.i32(0);
            if i64::from(dim) > dst.ne[0] as i64 || src.ne[0] != dst.rows() {
                crate::unsupported!("{dim} numbers for each of {:?} in {:?}", src.ne, dst.ne);
            }
        }
        Ok(())
    }

    fn plan(&self, node: &Node, &(): &(), planner: &mut Planner<'_>) -> Result<()> {
        let dst = &node.dst;
        let timesteps = node.op == sys::GGML_OP_TIMESTEP_EMBEDDING;
        let mut operands = vec![write("dst", dst, "f32")];
        if timesteps {
            operands.push(read("src", node.source(0)?, "f32"));
        }
        let bound = planner.bind(&operands)?;
        let view = bound.view("dst", dst)?;
        let params = params::arange::Params {
            count: dst.elements() as u32,
            ne0: dst.ne[0] as u32,
            first: node.first[0] as u32,
            half: node.params.u32(0) / 2,
            src_offset: if timesteps { bound.offset("src")? } else { 0 },
            dst_offset: view.offset,
            dst_nb1: view.nb[1],
            start: node.params.f32(0),
            step: if timesteps { -(node.params.i32(1) as f32).ln() } else { node.params.f32(2) },
        };
        let wg_size = WG_SIZE.min(planner.caps().max_invocations);
        let variant = Variant::new("arange").flag("TIMESTEPS", timesteps).constant("wg_size", wg_size);
        planner.dispatch(variant, &bound, &params, grid::groups(dst.elements(), wg_size))
    }

    fn axes(&self, node: &Node) -> Vec<Axis> {
        match node.op {
            sys::GGML_OP_ARANGE => vec![Axis { dim: 0, step: 1, sources: Vec::new() }],
            _ => vec![Axis { dim: 1, step: 1, sources: vec![Follow::Same(0)] }],
        }
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for (start, stop, step) in [(0.0, 10.0, 1.0), (-3.5, 1000.25, 0.37), (0.0, 1_048_576.0, 1.0)] {
            cases.push(Case::new(format!("from {start} to {stop} by {step}"), move |m| m.arange(start, stop, step)));
        }
        for (dim, period) in [(320, 10_000), (15, 100), (2, 10), (1, 10)] {
            cases.push(Case::new(format!("{dim} of timesteps, period {period}"), move |m| {
                m.timestep_embedding(m.filled(Type::F32, [7, 1, 1, 1], Fill::Uniform(0.0, 1000.0)), dim, period)
            }));
        }
        cases
    }
}
