//! FLASH_ATTN_EXT: softmax(Q K^T * scale + mask) V without the scores in memory. This file says what can be computed, and by which
//! of the kernels: `tile` needs nothing but core WebGPU and takes everything, `vec` is for few rows of queries, `matrix` for
//! many where there are matrix units.

use anyhow::Result;

use super::{Case, Planner, Room, split};
use crate::ggml::Node;
use crate::gpu::Caps;

mod cases;
mod matrix;
mod parts;
mod shape;
mod sources;
mod tile;
mod vec;

use shape::Shape;

pub(super) struct FlashAttn;
pub(super) static ROOM: FlashAttn = FlashAttn;

impl Room for FlashAttn {
    type Choice = Shape;

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<Shape> {
        Shape::new(node)
    }

    fn plan(&self, node: &Node, shape: &Shape, planner: &mut Planner<'_>) -> Result<()> {
        if let Some(layout) = vec::Layout::new(shape, planner.caps()) {
            vec::plan(node, shape, &layout, planner)
        } else if let Some(layout) = matrix::Layout::new(node, shape, planner.caps())? {
            matrix::plan(node, shape, &layout, planner)
        } else {
            tile::plan(node, shape, planner)
        }
    }

    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        use split::Follow::{Group, Repeat, Same, Whole};
        let axis = |dim, sources: [split::Follow; 5]| split::Axis { dim, step: 1, sources: sources[..].into() };
        let mut axes = vec![axis(3, [Same(3), Same(3), Same(3), Repeat(3), Whole])];
        // Slopes and sinks count heads from the first one.
        if node.params.f32(1) == 0.0 && node.src[4].is_none() {
            axes.push(axis(1, [Same(2), Group(2), Group(2), Repeat(2), Whole]));
        }
        axes.push(axis(2, [Same(1), Whole, Whole, Same(1), Whole]));
        axes
    }

    fn cases(&self) -> Vec<Case> {
        cases::cases()
    }
}
