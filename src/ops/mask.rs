//! DIAG, TRI, DIAG_MASK_INF, DIAG_MASK_ZERO: F32 matrices of which only a part is kept.

use anyhow::Result;

use super::bind::{read, read_elementwise, write};
use super::{Case, Planner, Room, elem, grid, split};
use crate::ggml::{Node, Type, sys};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct Mask;
pub(super) static ROOM: Mask = Mask;

const WG_SIZE: u32 = 256;

impl Room for Mask {
    /// What the shader computes.
    type Choice = &'static str;

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<&'static str> {
        elem::need(node.source(0)?, Type::F32, "a source")?;
        elem::need(&node.dst, Type::F32, "a result")?;
        Ok(match (node.op, node.params.u32(0)) {
            (sys::GGML_OP_DIAG, _) => "diag",
            (sys::GGML_OP_TRI, sys::GGML_TRI_TYPE_UPPER_DIAG) => "upper_diag",
            (sys::GGML_OP_TRI, sys::GGML_TRI_TYPE_UPPER) => "upper",
            (sys::GGML_OP_TRI, sys::GGML_TRI_TYPE_LOWER_DIAG) => "lower_diag",
            (sys::GGML_OP_TRI, sys::GGML_TRI_TYPE_LOWER) => "lower",
            (sys::GGML_OP_TRI, other) => crate::unsupported!("the kind {other} of TRI"),
            _ => "causal",
        })
    }

    fn plan(&self, node: &Node, &kind: &&'static str, planner: &mut Planner<'_>) -> Result<()> {
        let (src, dst) = (node.source(0)?, &node.dst);
        let source = if kind == "diag" { read("src", src, "f32") } else { read_elementwise("src", src, "f32") };
        let bound = planner.bind(&[source, write("dst", dst, "f32")])?;
        let params = params::mask::Params {
            count: dst.elements() as u32,
            ne0: dst.ne[0] as u32,
            ne1: dst.ne[1] as u32,
            ne2: dst.ne[2] as u32,
            first: node.first[1] as u32,
            past: if kind == "causal" { node.params.i32(0) } else { 0 },
            fill: if node.op == sys::GGML_OP_DIAG_MASK_INF { f32::NEG_INFINITY } else { 0.0 },
            src_view: bound.view("src", src)?,
            dst_view: bound.view("dst", dst)?,
        };
        let wg_size = WG_SIZE.min(planner.caps().max_invocations);
        let variant = Variant::new("mask").define("KIND", kind).constant("wg_size", wg_size);
        planner.dispatch(variant, &bound, &params, grid::groups(dst.elements(), wg_size))
    }

    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        split::alike(node, 1..4)
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for ne in [[10, 1, 4, 3], [7, 1, 1, 1], [256, 1, 1, 2]] {
            cases.push(Case::new(format!("diag {ne:?}"), move |m| m.diag(m.input(Type::F32, ne))));
        }
        let kinds = [sys::GGML_TRI_TYPE_UPPER_DIAG, sys::GGML_TRI_TYPE_UPPER, sys::GGML_TRI_TYPE_LOWER_DIAG, sys::GGML_TRI_TYPE_LOWER];
        for kind in kinds {
            for ne in [[11, 11, 3, 2], [64, 64, 1, 1]] {
                cases.push(Case::new(format!("tri {kind} {ne:?}"), move |m| m.tri(m.input(Type::F32, ne), kind)));
            }
        }
        for past in [0, 5, 40] {
            cases.push(Case::new(format!("mask behind {past} with -inf"), move |m| {
                m.diag_mask_inf(m.input(Type::F32, [19, 11, 3, 2]), past)
            }));
            cases.push(Case::new(format!("mask behind {past} with 0, in place"), move |m| {
                m.diag_mask_zero_inplace(m.cont(m.input(Type::F32, [19, 11, 3, 2])), past)
            }));
        }
        cases.push(Case::new("mask of 70000 planes", |m| m.diag_mask_inf(m.input(Type::F32, [3, 2, 70_000, 1]), 0)));
        cases
    }
}
