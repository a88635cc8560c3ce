//! CROSS_ENTROPY_LOSS and CROSS_ENTROPY_LOSS_BACK on F32 rows.

use anyhow::Result;

use super::bind::{read, read_elementwise, write};
use super::norm::row_size;
use super::{Case, Planner, Room, elem, split, sum_rows};
use crate::ggml::make::Fill;
use crate::ggml::{Node, Tensor, Type, sys};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct CrossEntropyLoss;
pub(super) static ROOM: CrossEntropyLoss = CrossEntropyLoss;

impl Room for CrossEntropyLoss {
    type Choice = Variant;

    fn choose(&self, node: &Node, caps: &Caps) -> Result<Variant> {
        for source in node.sources() {
            elem::need(source, Type::F32, "a source")?;
        }
        elem::need(&node.dst, Type::F32, "a result")?;
        let row = node.source(1)?.ne[0];
        Ok(Variant::new("cross_entropy_loss").constant("wg_size", row_size(row, caps)).flag("SUBGROUPS", caps.subgroups.is_some()))
    }

    fn plan(&self, node: &Node, choice: &Variant, planner: &mut Planner<'_>) -> Result<()> {
        let back = node.op == sys::GGML_OP_CROSS_ENTROPY_LOSS_BACK;
        let (x, y) = if back { (node.source(1)?, node.source(2)?) } else { (node.source(0)?, node.source(1)?) };
        let [_, ne1, ne2, ne3] = x.ne;
        let dst = if back { node.dst } else { sum_rows::scratch([1, ne1, ne2, ne3], planner) };
        // In windows of rows, found on the tensor whose rows lie farthest apart.
        let widest = [x, y, &dst].into_iter().max_by_key(|t| t.nb[1]).unwrap_or(x);
        for (first, part) in split::windows(widest, 1, planner.caps()) {
            let of = |t: &Tensor| {
                let mut t = *t;
                split::narrow(&mut t, 1, first, first + part.ne[1]);
                t
            };
            let (x_part, y_part, dst_part) = (of(x), of(y), of(&dst));
            rows(node, choice, &x_part, &y_part, &dst_part, planner)?;
        }
        if back { Ok(()) } else { sum_rows::sum(&dst, &node.dst, -(x.rows() as f32), planner) }
    }

    fn windowed(&self) -> &'static [usize] {
        &[0, 1, 2, split::RESULT]
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for ne in [[10, 5, 4, 3], [30_000, 1, 1, 1], [33, 7, 1, 1], [4, 70_000, 1, 1]] {
            cases.push(Case::new(format!("{ne:?}"), move |m| {
                m.cross_entropy_loss(m.filled(Type::F32, ne, Fill::Uniform(-4.0, 4.0)), m.filled(Type::F32, ne, Fill::Uniform(0.0, 1.0)))
            }));
            cases.push(Case::new(format!("back {ne:?}"), move |m| {
                let x = m.filled(Type::F32, ne, Fill::Uniform(-4.0, 4.0));
                m.cross_entropy_loss_back(m.input(Type::F32, [1, 1, 1, 1]), x, m.filled(Type::F32, ne, Fill::Uniform(0.0, 1.0)))
            }));
        }
        cases
    }
}

/// Losses of rows, or their gradients.
fn rows(node: &Node, choice: &Variant, x: &Tensor, y: &Tensor, dst: &Tensor, planner: &mut Planner<'_>) -> Result<()> {
    let back = node.op == sys::GGML_OP_CROSS_ENTROPY_LOSS_BACK;
    let all_rows = node.source(usize::from(back))?.rows();
    let caps = planner.caps();
    let vector = [x, y].iter().all(|t| elem::vector_rows(t, caps)) && (!back || elem::vector_rows(dst, caps));
    let word = elem::word(Type::F32, caps, vector, false);
    let mut operands = vec![read_elementwise("src0", x, word), read_elementwise("src1", y, word)];
    if back {
        operands.push(read("gradient", node.source(0)?, "f32"));
    }
    operands.push(write("dst", dst, if back { word } else { "f32" }));
    let bound = planner.bind(&operands)?;
    let params = params::cross_entropy_loss::Params {
        rows: x.rows() as u32,
        ne0: x.ne[0] as u32,
        ne1: x.ne[1] as u32,
        ne2: x.ne[2] as u32,
        src0_view: bound.view("src0", x)?,
        src1_view: bound.view("src1", y)?,
        dst_view: bound.view("dst", dst)?,
        gradient_offset: if back { bound.offset("gradient")? } else { 0 },
        all_rows: all_rows as f32,
    };
    let variant = choice.clone().define("WORD", word).flag("VEC", vector).flag("BACK", back);
    planner.dispatch(variant, &bound, &params, x.rows())
}
