//! RMS_NORM_BACK on F32 rows.

use anyhow::Result;

use super::bind::{read_elementwise, write};
use super::norm::row_size;
use super::{Case, Planner, Room, elem, split};
use crate::ggml::{Node, Type};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct RmsNormBack;
pub(super) static ROOM: RmsNormBack = RmsNormBack;

impl Room for RmsNormBack {
    type Choice = Variant;

    fn choose(&self, node: &Node, caps: &Caps) -> Result<Variant> {
        elem::need(node.source(0)?, Type::F32, "a source")?;
        elem::need(node.source(1)?, Type::F32, "a source")?;
        elem::need(&node.dst, Type::F32, "a result")?;
        Ok(Variant::new("rms_norm_back").constant("wg_size", row_size(node.dst.ne[0], caps)).flag("SUBGROUPS", caps.subgroups.is_some()))
    }

    fn plan(&self, node: &Node, choice: &Variant, planner: &mut Planner<'_>) -> Result<()> {
        let (dz, x, dst) = (node.source(0)?, node.source(1)?, &node.dst);
        let caps = planner.caps();
        let vector = [dz, x, dst].iter().all(|t| elem::vector_rows(t, caps));
        let word = elem::word(Type::F32, caps, vector, false);
        let bound = planner.bind(&[read_elementwise("src0", dz, word), read_elementwise("src1", x, word), write("dst", dst, word)])?;
        let params = params::rms_norm_back::Params {
            rows: dst.rows() as u32,
            ne0: dst.ne[0] as u32,
            ne1: dst.ne[1] as u32,
            ne2: dst.ne[2] as u32,
            eps: node.params.f32(0),
            src0_view: bound.view("src0", dz)?,
            src1_view: bound.view("src1", x)?,
            dst_view: bound.view("dst", dst)?,
        };
        planner.dispatch(choice.clone().define("WORD", word).flag("VEC", vector), &bound, &params, dst.rows())
    }

    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        split::alike(node, 1..4)
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for ne in [[64, 5, 4, 3], [1025, 3, 2, 1], [3, 2, 1, 1], [8, 70_000, 1, 1]] {
            for eps in [0.0, 1e-6, 0.1] {
                cases.push(Case::new(format!("{ne:?} eps {eps}"), move |m| {
                    m.rms_norm_back(m.input(Type::F32, ne), m.input(Type::F32, ne), eps)
                }));
            }
        }
        cases.push(Case::new("a permuted tensor", |m| {
            let x = m.permute(m.input(Type::F32, [64, 5, 3, 2]), [0, 2, 1, 3]);
            m.rms_norm_back(m.input(Type::F32, [64, 3, 5, 2]), x, 1e-6)
        }));
        cases
    }
}
