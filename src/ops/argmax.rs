//! ARGMAX on F32 rows: the last index of the greatest value.

use anyhow::Result;

use super::bind::{read, write};
use super::norm::row_size;
use super::{Case, Planner, Room, elem, split};
use crate::ggml::make::Fill;
use crate::ggml::{Node, Type};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct ArgMax;
pub(super) static ROOM: ArgMax = ArgMax;

impl Room for ArgMax {
    type Choice = Variant;

    fn choose(&self, node: &Node, caps: &Caps) -> Result<Variant> {
        let src = node.source(0)?;
        elem::need(src, Type::F32, "a source")?;
        elem::need(&node.dst, Type::I32, "a result")?;
        Ok(Variant::new("argmax").constant("wg_size", row_size(src.ne[0], caps)).flag("SUBGROUPS", caps.subgroups.is_some()))
    }

    fn plan(&self, node: &Node, choice: &Variant, planner: &mut Planner<'_>) -> Result<()> {
        let (src, dst) = (node.source(0)?, &node.dst);
        let caps = planner.caps();
        let vector = elem::vector_rows(src, caps);
        let word = elem::word(Type::F32, caps, vector, false);
        let bound = planner.bind(&[read("src", src, word), write("dst", dst, "i32")])?;
        let (s, d) = (bound.view("src", src)?, bound.view("dst", dst)?);
        let params = params::argmax::Params {
            rows: dst.ne[0] as u32,
            ne0: src.ne[0] as u32,
            src_offset: s.offset,
            src_nb0: s.nb[0],
            src_nb1: s.nb[1],
            dst_offset: d.offset,
            dst_nb0: d.nb[0],
        };
        planner.dispatch(choice.clone().define("SRC_WORD", word).flag("VEC", vector), &bound, &params, dst.ne[0])
    }

    fn axes(&self, _node: &Node) -> Vec<split::Axis> {
        vec![split::Axis { dim: 0, step: 1, sources: vec![split::Follow::Same(1)] }]
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for ne in [[64, 5, 1, 1], [1, 3, 1, 1], [1025, 70, 1, 1], [151_936, 2, 1, 1], [6, 70_000, 1, 1]] {
            cases.push(Case::new(format!("{ne:?}"), move |m| m.argmax(m.input(Type::F32, ne))));
        }
        let (inf, nan) = (f32::INFINITY, f32::NAN);
        for values in [
            vec![1.0, 3.0, 2.0, 3.0, 0.0],
            vec![-inf],
            vec![-inf, -3.4e38, -inf],
            vec![nan],
            vec![9.0, nan, 3.0, 2.0, nan, nan],
            vec![9.0, nan, nan, 3.0, 4.0, 4.0, -1.0],
            vec![-2e9, -1e9, -3e9, inf, 1.0],
        ] {
            cases.push(Case::new(format!("rows of {values:?}"), move |m| {
                m.argmax(m.filled(Type::F32, [70, 9, 1, 1], Fill::Values(values.clone())))
            }));
        }
        cases.push(Case::new("rows of a wider tensor", |m| {
            let a = m.input(Type::F32, [64, 9, 1, 1]);
            let nb = m.nb(a);
            m.argmax(m.view(a, [41, 8, 1, 1], [nb[1], nb[2], nb[3]], 4 * 67))
        }));
        cases
    }
}
