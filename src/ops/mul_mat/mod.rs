//! MUL_MAT: dst[m, n] = src0[k, m] times src1[k, n], in batches, src0 repeated over groups of batches. Chooses the kernel.

use anyhow::Result;

use super::{Case, Planner, Room, elem, split};
use crate::ggml::{Node, Tensor, Type};
use crate::gpu::Caps;

mod cases;
pub(super) mod matrix;
pub mod multi;
pub(super) mod tile;
pub(super) mod vec;

pub(super) struct MulMat;
pub(super) static ROOM: MulMat = MulMat;

/// Which kernel.
pub(super) enum Choice {
    /// Few columns: each row of src0 is read once.
    Vec(vec::Choice),
    /// Many columns, without matrix units.
    Tile(tile::Choice),
    /// Many columns, with matrix units.
    Matrix(matrix::Choice),
}

/// Columns up to which the kernel for few columns serves.
const MAX_VEC_COLUMNS: u64 = 8;

impl Room for MulMat {
    type Choice = Choice;

    fn choose(&self, node: &Node, caps: &Caps) -> Result<Choice> {
        let (a, b) = (node.source(0)?, node.source(1)?);
        elem::need(&node.dst, Type::F32, "a result")?;
        elem::need_float(b)?;
        elem::need_rows(a, "src0")?;
        elem::need_rows(b, "src1")?;
        if a.ty.info().class == crate::ggml::types::Class::Int {
            crate::unsupported!("src0 of the type {}", a.ty);
        }
        if b.ne[1] <= MAX_VEC_COLUMNS {
            return Ok(Choice::Vec(vec::choose(a, b.ne[1], caps)));
        }
        Ok(match matrix::choose(a, b.ne[1], caps) {
            Some(choice) => Choice::Matrix(choice),
            None => Choice::Tile(tile::choose(a.ne[1], b.ne[1], caps)),
        })
    }

    fn plan(&self, node: &Node, choice: &Choice, planner: &mut Planner<'_>) -> Result<()> {
        let (a, b, dst) = (node.source(0)?, node.source(1)?, &node.dst);
        match choice {
            Choice::Vec(choice) => vec::plan(a, b, dst, choice, planner),
            Choice::Matrix(choice) if matrix::reads(a) => matrix::plan(a, b, dst, choice, planner),
            Choice::Matrix(_) => tile::plan(a, b, dst, &tile::choose(a.ne[1], b.ne[1], planner.caps()), planner),
            Choice::Tile(choice) => tile::plan(a, b, dst, choice, planner),
        }
    }

    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        axes(node)
    }

    fn cases(&self) -> Vec<Case> {
        cases::cases()
    }
}

/// Batches are independent; then, within one batch, columns (of src1 and dst) and rows (of src0 and dst).
fn axes(node: &Node) -> Vec<split::Axis> {
    use split::{Axis, Follow};
    let Ok(a) = node.source(0) else { return Vec::new() };
    let mut axes: Vec<Axis> = [3, 2]
        .map(|dim| {
            let of_a = if a.ne[dim] == node.dst.ne[dim] { Follow::Same(dim) } else { Follow::Group(dim) };
            Axis { dim, step: 1, sources: vec![of_a, Follow::Same(dim)] }
        })
        .into();
    if node.dst.ne[2] * node.dst.ne[3] == 1 {
        axes.push(Axis { dim: 1, step: 1, sources: vec![Follow::Whole, Follow::Same(1)] });
        axes.push(Axis { dim: 0, step: 1, sources: vec![Follow::Same(1), Follow::Whole] });
    }
    axes
}

/// Offset and the strides of dimensions 1 to 3 of an operand.
fn places(bound: &super::bind::Bound, name: &str, t: &Tensor) -> Result<(u32, [u32; 3])> {
    let view = bound.view(name, t)?;
    Ok((view.offset, [view.nb[1], view.nb[2], view.nb[3]]))
}
