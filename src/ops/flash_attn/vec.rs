//! The kernel for few rows, as in the generation of tokens: subgroups go through keys of their own.

use anyhow::Result;

use super::parts;
use super::shape::Shape;
use super::sources::{Loads, Sources};
use crate::ggml::Node;
use crate::gpu::Caps;
use crate::gpu::caps::AdapterKind;
use crate::ops::Planner;

/// Workgroups that keep an H200 busy: one for each of its 132 multiprocessors, of which each holds one such workgroup. Measured there:
/// 264 are up to a fifth slower, 528 half as fast.
const BUSY: u64 = 132;
/// Keys that an invocation multiplies at a time. (Half of it is up to a third slower on an H200, twice as many too.)
const KEYS: u32 = 4;
/// Rows of a workgroup at most: the results of one row take 16 registers or more.
const MOST_ROWS: u32 = 8;
/// Rows of a group at most: more are better off in tiles.
const MOST_GROUP_ROWS: u32 = 16;

/// What follows from shapes and capabilities.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    sg: u32,
    subgroups: u32,
    rows: u32,
    /// Invocations that share a value.
    vl: u32,
    slots: u32,
    keys: u32,
    shared_words: u32,
}

impl Layout {
    /// `None` where another kernel is needed or better.
    pub fn new(shape: &Shape, caps: &Caps) -> Option<Self> {
        let sg = caps.fixed_subgroup().filter(|&sg| sg >= 4 && sg.is_power_of_two())?;
        if shape.group_rows() > MOST_GROUP_ROWS
            || !shape.dk.is_multiple_of(16)
            || !shape.dv.is_multiple_of(16)
            || shape.n_kv == 0
            || shape.dv == 0
        {
            return None;
        }
        let pieces = shape.dv / 16;
        let vl = pieces.next_power_of_two().clamp(4, sg);
        let slots = pieces.div_ceil(vl);
        let tiles = shape.group_rows().div_ceil((MOST_ROWS / slots).max(1));
        let rows = shape.group_rows().div_ceil(tiles);
        let words = |subgroups: u32| (rows * shape.dk / 4).max(subgroups * shape.dv / 4);
        let fits = |subgroups: u32| {
            subgroups * sg <= caps.max_invocations && words(subgroups) * 16 + subgroups * rows * 8 <= caps.max_workgroup_memory
        };
        let subgroups = [8, 4, 2, 1].into_iter().find(|&n| fits(n))?;
        // Software drivers spend their time on compiling.
        let keys = if caps.kind == AdapterKind::Software { 1 } else { KEYS };
        Some(Self { sg, subgroups, rows, vl, slots, keys, shared_words: words(subgroups) })
    }
}

pub(super) fn plan(node: &Node, shape: &Shape, layout: &Layout, planner: &mut Planner<'_>) -> Result<()> {
    let tiles = shape.group_rows().div_ceil(layout.rows);
    let workgroups = shape.groups() * u64::from(tiles);
    let block = layout.sg / 4 * layout.keys * layout.subgroups;
    let split = parts::split(shape.n_kv, workgroups, BUSY, layout.sg / 4 * layout.keys, block.max(128));
    let (variant, s) = Sources::new("flash_attn/vec", node, shape, tiles, split, Loads::Sixteen, planner)?;
    let variant = variant
        .flag("SUBGROUPS", true)
        .flag("SUBGROUP_SIZE", planner.caps().subgroup_size_control)
        .flag("ONE_MASK", shape.n_q == 1 && s.params.mask_ne2 == 1)
        .number("SG", format_args!("{}u", layout.sg))
        .number("SUBGROUP_COUNT", format_args!("{}u", layout.subgroups))
        .number("ROWS", format_args!("{}u", layout.rows))
        .number("KEYS", format_args!("{}u", layout.keys))
        .number("VL", format_args!("{}u", layout.vl))
        .number("SLOTS", format_args!("{}u", layout.slots))
        .number("DK", format_args!("{}u", shape.dk))
        .number("DV", format_args!("{}u", shape.dv))
        .number("SHARED_WORDS", layout.shared_words);
    s.dispatch(variant, node, shape, planner)
}
