//! MUL_MAT_ID: dst[m, slot, token] = src0[k, m, e] times a column of src1 of that token, where ids[slot, token] names the expert e.
//! Chooses the kernel.

use anyhow::Result;

use super::{Case, Planner, Room, elem, mul_mat, split};
use crate::ggml::types::Class;
use crate::ggml::{Node, Tensor, Type};
use crate::gpu::Caps;

mod cases;
mod matrix;
mod route;
mod tile;
mod vec;

pub(super) struct MulMatId;
pub(super) static ROOM: MulMatId = MulMatId;

/// Which kernel.
pub(super) enum Choice {
    /// Few pairs of token and slot: each reads its expert's rows by itself.
    Vec(mul_mat::vec::Choice),
    /// Many: pairs are sorted by expert first.
    Tile(mul_mat::tile::Choice),
    /// The same with matrix units.
    Matrix(mul_mat::matrix::Choice),
}

/// Pairs for each expert up to which the kernel for few serves.
const MAX_VEC_PAIRS: u64 = 8;
/// The same where there are matrix units, which make up for the columns that a tile has too many.
const MAX_VEC_PAIRS_MATRIX: u64 = 2;
/// Tiles with matrix units have at least so many columns.
const LEAST_MATRIX_COLUMNS: u64 = 32;

impl Room for MulMatId {
    type Choice = Choice;

    fn choose(&self, node: &Node, caps: &Caps) -> Result<Choice> {
        let Operands { a, b, ids, dst } = Operands::of(node)?;
        elem::need(dst, Type::F32, "a result")?;
        elem::need(ids, Type::I32, "ids")?;
        elem::need_float(b)?;
        elem::need_rows(a, "src0")?;
        elem::need_rows(b, "src1")?;
        if a.ty.info().class == Class::Int {
            crate::unsupported!("src0 of the type {}", a.ty);
        }
        if a.ne[2] == 0 {
            crate::unsupported!("no experts");
        }
        let each = (dst.ne[1] * dst.ne[2]).div_ceil(a.ne[2]);
        if each > MAX_VEC_PAIRS_MATRIX
            && let Some(choice) = mul_mat::matrix::choose(a, each.max(LEAST_MATRIX_COLUMNS), caps)
        {
            return Ok(Choice::Matrix(choice));
        }
        Ok(if each <= MAX_VEC_PAIRS {
            Choice::Vec(mul_mat::vec::choose(a, 1, caps))
        } else {
            Choice::Tile(mul_mat::tile::choose(a.ne[1], each, caps))
        })
    }

    fn plan(&self, node: &Node, choice: &Choice, planner: &mut Planner<'_>) -> Result<()> {
        let operands = Operands::of(node)?;
        match choice {
            Choice::Vec(choice) => vec::plan(&operands, choice, planner),
            Choice::Matrix(choice) if mul_mat::matrix::reads(operands.a) => matrix::plan(&operands, choice, planner),
            Choice::Matrix(_) => {
                let each = operands.pairs().div_ceil(operands.a.ne[2]);
                tile::plan(&operands, &mul_mat::tile::choose(operands.a.ne[1], each, planner.caps()), planner)
            }
            Choice::Tile(choice) => tile::plan(&operands, choice, planner),
        }
    }

    /// Tokens are independent; with one expert its rows are too.
    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        use split::{Axis, Follow};
        let mut axes = vec![Axis { dim: 2, step: 1, sources: vec![Follow::Whole, Follow::Same(2), Follow::Same(1)] }];
        if node.source(0).is_ok_and(|a| a.ne[2] == 1) {
            axes.push(Axis { dim: 0, step: 1, sources: vec![Follow::Same(1), Follow::Whole, Follow::Whole] });
        }
        axes
    }

    /// Experts, in windows of some of them.
    fn windowed(&self) -> &'static [usize] {
        &[0]
    }

    fn window_dim(&self) -> usize {
        2
    }

    fn cases(&self) -> Vec<Case> {
        cases::cases()
    }
}

/// The tensors of a node.
struct Operands<'a> {
    a: &'a Tensor,
    b: &'a Tensor,
    ids: &'a Tensor,
    dst: &'a Tensor,
}

impl<'a> Operands<'a> {
    fn of(node: &'a Node) -> Result<Self> {
        Ok(Self { a: node.source(0)?, b: node.source(1)?, ids: node.source(2)?, dst: &node.dst })
    }

    /// Columns of dst: pairs of token and slot.
    fn pairs(&self) -> u64 {
        self.dst.ne[1] * self.dst.ne[2]
    }

    /// Columns of src1 for a token, if there is neither one for all slots nor one for each.
    fn some_columns(&self) -> Option<u64> {
        Some(self.b.ne[1]).filter(|&n| n != 1 && n != self.dst.ne[1])
    }
}
