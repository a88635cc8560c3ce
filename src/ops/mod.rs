//! One room for each op: pure data, without GPU handles and raw pointers. TABLE: which room serves which ggml op.
//!
//! A room says whether and how it computes a node (`choose`: types, shapes and capabilities only), which dispatches that takes
//! (`plan`: addresses known), and on which graphs it is tested (`cases`). `supports_op` is "choose succeeded": nothing is
//! decided twice.

use std::any::Any;

use anyhow::{Context, Result};

use crate::ggml::tensor::op_name;
use crate::ggml::{Node, sys};
use crate::gpu::Caps;

pub mod bind;
pub mod case;
mod elem;
pub mod grid;
mod layout;
pub mod plan;
pub mod split;
#[cfg(test)]
pub mod testing;

mod add_id;
mod add_rel_pos;
mod arange;
mod argmax;
mod argsort;
mod binary;
mod col2im_1d;
mod concat;
mod conv;
mod conv_2d_dw;
mod conv_transpose;
mod count_equal;
mod cpy;
mod cross_entropy_loss;
mod dsv4_hc;
mod flash_attn;
mod flash_attn_back;
mod gated_delta_net;
mod gather;
mod get_rows;
mod get_rows_back;
mod glu;
mod group_norm;
mod im2col;
mod lightning_indexer;
mod mask;
pub mod mul_mat;
mod mul_mat_id;
pub mod norm;
mod opt_step;
mod out_prod;
mod pool;
mod repeat;
mod rms_norm_back;
mod rope;
mod rwkv_wkv6;
mod rwkv_wkv7;
mod set;
mod set_rows;
mod soft_max;
mod solve_tri;
mod ssm_conv;
mod ssm_scan;
mod sum_rows;
mod team;
mod unary;
mod upscale;

pub use case::Case;
pub use plan::Planner;

/// What a room offers. `Choice` is what `choose` decided and `plan` needs.
pub trait Room: Sync {
    /// Variant and numbers that follow from types, shapes and capabilities.
    type Choice: 'static;

    /// How this node is computed, or why not. Looks at no address.
    fn choose(&self, node: &Node, caps: &Caps) -> Result<Self::Choice>;

    /// The dispatches.
    fn plan(&self, node: &Node, choice: &Self::Choice, planner: &mut Planner<'_>) -> Result<()>;

    /// Along which dimensions a node with tensors larger than a binding is cut; see [`split`].
    fn axes(&self, _node: &Node) -> Vec<split::Axis> {
        Vec::new()
    }

    /// Sources, by number, and the result, as [`split::RESULT`], that it binds in windows (by [`split::windows`]) where they are larger
    /// than a binding and no axis makes them smaller.
    fn windowed(&self) -> &'static [usize] {
        &[]
    }

    /// The dimension along which windows are cut, the outermost of such a tensor: rows, if nothing else is said.
    fn window_dim(&self) -> usize {
        1
    }

    /// Graphs that it is tested and measured on.
    fn cases(&self) -> Vec<Case>;
}

/// A [`Room`] whose `Choice` is hidden, as the table needs it.
pub trait AnyRoom: Sync {
    /// See [`Room::choose`].
    fn choose(&self, node: &Node, caps: &Caps) -> Result<Box<dyn Any>>;
    /// See [`Room::plan`]; chooses first.
    fn plan(&self, node: &Node, planner: &mut Planner<'_>) -> Result<()>;
    /// See [`Room::axes`].
    fn axes(&self, node: &Node) -> Vec<split::Axis>;
    /// See [`Room::windowed`].
    fn windowed(&self) -> &'static [usize];
    /// See [`Room::window_dim`].
    fn window_dim(&self) -> usize;
    /// See [`Room::cases`].
    fn cases(&self) -> Vec<Case>;
}

impl<R: Room> AnyRoom for R {
    fn choose(&self, node: &Node, caps: &Caps) -> Result<Box<dyn Any>> {
        Ok(Box::new(Room::choose(self, node, caps)?))
    }

    fn plan(&self, node: &Node, planner: &mut Planner<'_>) -> Result<()> {
        let choice = Room::choose(self, node, planner.caps())?;
        Room::plan(self, node, &choice, planner)
    }

    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        Room::axes(self, node)
    }

    fn windowed(&self) -> &'static [usize] {
        Room::windowed(self)
    }

    fn window_dim(&self) -> usize {
        Room::window_dim(self)
    }

    fn cases(&self) -> Vec<Case> {
        Room::cases(self)
    }
}

/// One line: an op, the room's name, the room.
pub struct Line {
    /// ggml's op.
    pub op: sys::ggml_op,
    /// The room: its file, its shader, its group of tests and benches.
    pub name: &'static str,
    /// The room itself.
    pub room: &'static dyn AnyRoom,
}

macro_rules! table {
    ($($op:ident => $module:ident;)*) => {
        /// Which room serves which op.
        pub static TABLE: &[Line] = &[$(Line { op: sys::$op, name: stringify!($module), room: &$module::ROOM }),*];
    };
}

table! {
    GGML_OP_ADD => binary;
    GGML_OP_SUB => binary;
    GGML_OP_MUL => binary;
    GGML_OP_DIV => binary;
    GGML_OP_NORM => norm;
    GGML_OP_RMS_NORM => norm;
    GGML_OP_L2_NORM => norm;
    GGML_OP_MUL_MAT => mul_mat;
    GGML_OP_MUL_MAT_ID => mul_mat_id;
    GGML_OP_CPY => cpy;
    GGML_OP_CONT => cpy;
    GGML_OP_DUP => cpy;
    GGML_OP_GET_ROWS => get_rows;
    GGML_OP_SET_ROWS => set_rows;
    GGML_OP_ROPE => rope;
    GGML_OP_ROPE_BACK => rope;
    GGML_OP_SOFT_MAX => soft_max;
    GGML_OP_SOFT_MAX_BACK => soft_max;
    GGML_OP_SUM => sum_rows;
    GGML_OP_SUM_ROWS => sum_rows;
    GGML_OP_MEAN => sum_rows;
    GGML_OP_CUMSUM => sum_rows;
    GGML_OP_ARGMAX => argmax;
    GGML_OP_ARGSORT => argsort;
    GGML_OP_TOP_K => argsort;
    GGML_OP_GET_ROWS_BACK => get_rows_back;
    GGML_OP_OUT_PROD => out_prod;
    GGML_OP_IM2COL => im2col;
    GGML_OP_IM2COL_3D => im2col;
    GGML_OP_IM2COL_BACK => im2col;
    GGML_OP_CONV_2D => conv;
    GGML_OP_CONV_3D => conv;
    GGML_OP_CONV_2D_DW => conv_2d_dw;
    GGML_OP_CONV_TRANSPOSE_1D => conv_transpose;
    GGML_OP_CONV_TRANSPOSE_2D => conv_transpose;
    GGML_OP_COL2IM_1D => col2im_1d;
    GGML_OP_POOL_1D => pool;
    GGML_OP_POOL_2D => pool;
    GGML_OP_POOL_2D_BACK => pool;
    GGML_OP_GROUP_NORM => group_norm;
    GGML_OP_RMS_NORM_BACK => rms_norm_back;
    GGML_OP_CROSS_ENTROPY_LOSS => cross_entropy_loss;
    GGML_OP_CROSS_ENTROPY_LOSS_BACK => cross_entropy_loss;
    GGML_OP_COUNT_EQUAL => count_equal;
    GGML_OP_FLASH_ATTN_EXT => flash_attn;
    GGML_OP_GLU => glu;
    GGML_OP_UNARY => unary;
    GGML_OP_SQR => unary;
    GGML_OP_SQRT => unary;
    GGML_OP_LOG => unary;
    GGML_OP_SIN => unary;
    GGML_OP_COS => unary;
    GGML_OP_LEAKY_RELU => unary;
    GGML_OP_CLAMP => unary;
    GGML_OP_SCALE => unary;
    GGML_OP_FILL => unary;
    GGML_OP_CONCAT => concat;
    GGML_OP_REPEAT => repeat;
    GGML_OP_REPEAT_BACK => repeat;
    GGML_OP_SET => set;
    GGML_OP_ACC => set;
    GGML_OP_ADD1 => binary;
    GGML_OP_PAD => gather;
    GGML_OP_PAD_REFLECT_1D => gather;
    GGML_OP_ROLL => gather;
    GGML_OP_WIN_PART => gather;
    GGML_OP_WIN_UNPART => gather;
    GGML_OP_GET_REL_POS => gather;
    GGML_OP_DIAG => mask;
    GGML_OP_TRI => mask;
    GGML_OP_DIAG_MASK_INF => mask;
    GGML_OP_DIAG_MASK_ZERO => mask;
    GGML_OP_ARANGE => arange;
    GGML_OP_TIMESTEP_EMBEDDING => arange;
    GGML_OP_ADD_ID => add_id;
    GGML_OP_UPSCALE => upscale;
    GGML_OP_SILU_BACK => glu;
    GGML_OP_OPT_STEP_ADAMW => opt_step;
    GGML_OP_OPT_STEP_SGD => opt_step;
    GGML_OP_ADD_REL_POS => add_rel_pos;
    GGML_OP_SSM_CONV => ssm_conv;
    GGML_OP_SSM_SCAN => ssm_scan;
    GGML_OP_GATED_DELTA_NET => gated_delta_net;
    GGML_OP_SOLVE_TRI => solve_tri;
    GGML_OP_RWKV_WKV6 => rwkv_wkv6;
    GGML_OP_GATED_LINEAR_ATTN => rwkv_wkv6;
    GGML_OP_RWKV_WKV7 => rwkv_wkv7;
    GGML_OP_FLASH_ATTN_BACK => flash_attn_back;
    GGML_OP_LIGHTNING_INDEXER => lightning_indexer;
    GGML_OP_DSV4_HC_COMB => dsv4_hc;
    GGML_OP_DSV4_HC_PRE => dsv4_hc;
    GGML_OP_DSV4_HC_POST => dsv4_hc;
}

/// A line of each room: its first.
pub fn rooms() -> impl Iterator<Item = &'static Line> {
    let is_first = |i: usize| TABLE[..i].iter().all(|line| line.name != TABLE[i].name);
    TABLE.iter().enumerate().filter(move |(i, _)| is_first(*i)).map(|(_, line)| line)
}

/// Ops that only look at memory another way: nothing to compute.
pub fn is_no_op(op: sys::ggml_op) -> bool {
    matches!(op, sys::GGML_OP_NONE | sys::GGML_OP_VIEW | sys::GGML_OP_RESHAPE | sys::GGML_OP_PERMUTE | sys::GGML_OP_TRANSPOSE)
}

/// The room for an op.
pub fn room(op: sys::ggml_op) -> Result<&'static dyn AnyRoom> {
    match TABLE.iter().find(|l| l.op == op) {
        Some(line) => Ok(line.room),
        None => crate::unsupported!("{} has no room", op_name(op)),
    }
}

/// Whether the node can be computed, or why not.
pub fn supports(node: &Node, caps: &Caps) -> Result<()> {
    if is_no_op(node.op) || node.dst.is_empty() {
        return Ok(());
    }
    let room = room(node.op)?;
    room.choose(node, caps)?;
    split::check(room, node, caps)
}

/// Appends the dispatches of a node.
pub fn plan(node: &Node, planner: &mut Planner<'_>) -> Result<()> {
    if is_no_op(node.op) || node.dst.is_empty() {
        return Ok(());
    }
    let room = room(node.op)?;
    split::each(room, node, planner.caps(), &mut |piece| {
        planner.begin_node();
        room.plan(piece, planner)
    })
    .with_context(|| format!("While planning {} ({})", op_name(node.op), node.name))
}
