//! Keys split over workgroups: how many parts, their scratch memory, and the step that joins them.

use anyhow::Result;

use super::shape::Shape;
use crate::ggml::Node;
use crate::ops::Planner;
use crate::ops::bind::{read, read_bytes, write};
use crate::shader::{Variant, params};

/// How the keys of each row are split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Split {
    /// Parts; 1 needs no second step.
    pub count: u32,
    /// Keys of each part.
    pub keys: u32,
}

/// Splits `n_kv` keys so that `workgroups` times the parts come near `busy`, the number that fills a large GPU. Parts begin at multiples
/// of `step` keys and have at least `least`.
pub(super) fn split(n_kv: u32, workgroups: u64, busy: u64, step: u32, least: u32) -> Split {
    let wanted = (busy / workgroups.max(1)).max(1) as u32;
    let most = (n_kv / least.max(1)).max(1);
    let keys = n_kv.div_ceil(wanted.min(most)).next_multiple_of(step).max(step);
    Split { count: n_kv.div_ceil(keys).max(1), keys }
}

/// Scratch memory of the partial results.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    at: u64,
    bytes: u64,
    count: u32,
}

impl Parts {
    /// Takes the memory.
    pub fn new(shape: &Shape, split: Split, planner: &mut Planner<'_>) -> Self {
        let bytes = shape.rows() * u64::from(split.count) * (u64::from(shape.dv) + 2) * 4;
        Self { at: planner.scratch(bytes), bytes, count: split.count }
    }

    /// The binding `part` for the kernel that writes them.
    pub fn written(&self) -> crate::ops::bind::Operand<'static> {
        crate::ops::bind::write_bytes("part", self.at, self.bytes, "f32")
    }

    /// Plans the second step.
    pub fn combine(&self, node: &Node, shape: &Shape, planner: &mut Planner<'_>) -> Result<()> {
        let mut operands = vec![read_bytes("part", self.at, self.bytes, "f32"), write("dst", &node.dst, "f32")];
        if let Some(sinks) = &node.src[4] {
            operands.push(read("sinks", sinks, "f32"));
        }
        let bound = planner.bind(&operands)?;
        let wg_size = shape.dv.next_power_of_two().clamp(32, 256).min(1 << planner.caps().max_invocations.ilog2());
        let variant = Variant::new("flash_attn/combine").flag("SINKS", node.src[4].is_some()).constant("wg_size", wg_size);
        let params = params::flash_attn_combine::Params {
            rows: shape.rows() as u32,
            n_q: shape.n_q,
            n_head: shape.n_head,
            dv: shape.dv,
            splits: self.count,
            part_offset: bound.offset("part")?,
            sinks_offset: if node.src[4].is_some() { bound.offset("sinks")? } else { 0 },
            dst_view: bound.view("dst", &node.dst)?,
        };
        planner.dispatch(variant, &bound, &params, shape.rows())
    }
}
