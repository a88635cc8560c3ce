//! The kernel for every device and every node: tiles of 8 or 32 rows in workgroup memory.

use anyhow::Result;

use super::parts;
use super::shape::Shape;
use super::sources::{Loads, Sources};
use crate::ggml::Node;
use crate::ops::Planner;
use crate::shader::Variant;

/// Workgroups that keep a large GPU busy: two for each of the 132 multiprocessors of an H200.
const BUSY: u64 = 264;
/// Keys of a tile.
const KEYS: u32 = 32;
/// Groups of four elements for each step of workgroup memory's second use, the values: 8 KiB.
const VALUES: u32 = 512;
/// Registers for a slot of the result hold four floats; more slots than this for a row would not fit.
const MOST_SLOTS: u32 = 16;

pub(super) fn plan(node: &Node, shape: &Shape, planner: &mut Planner<'_>) -> Result<()> {
    let tiling = Tiling::new(shape);
    let tiles = shape.group_rows().div_ceil(tiling.rows);
    let workgroups = shape.groups() * u64::from(tiles) * u64::from(tiling.pieces);
    let split = parts::split(shape.n_kv, workgroups, BUSY, KEYS, 8 * KEYS);
    let ragged = !shape.dk.is_multiple_of(4) || !shape.dv.is_multiple_of(4);
    let (variant, mut s) =
        Sources::new("flash_attn/tile", node, shape, tiles, split, if ragged { Loads::Single } else { Loads::Four }, planner)?;
    let (k, v) = shape.keys_and_values(node)?;
    let variant = variant
        .number("K_BYTES", format_args!("{}u", k.ty.bytes()))
        .number("V_BYTES", format_args!("{}u", v.ty.bytes()))
        .flag("RAGGED", ragged);
    s.params.pieces = tiling.pieces;
    s.dispatch(tiling.define(variant), node, shape, planner)
}

/// How a workgroup is laid out: its rows, its invocations (rows of 8), and the groups of four of the result for each of these.
struct Tiling {
    rows: u32,
    ty: u32,
    slots: u32,
    pieces: u32,
}

impl Tiling {
    fn new(shape: &Shape) -> Self {
        let all = shape.dv.div_ceil(32).max(1);
        let pieces = all.div_ceil(MOST_SLOTS);
        // Few kinds, since each is a kernel to compile.
        let slots = match all.div_ceil(pieces) {
            n @ 1..=4 => n,
            5..=6 => 6,
            7..=8 => 8,
            _ => MOST_SLOTS,
        };
        // An invocation's share of the result stays within 16 groups of four.
        let (rows, ty) = match (shape.group_rows(), slots) {
            (..=8, _) => (8, 8),
            (_, ..=4) => (32, 8),
            (_, ..=8) => (32, 16),
            _ => (32, 32),
        };
        Self { rows, ty, slots, pieces }
    }

    fn define(&self, variant: Variant) -> Variant {
        let columns = self.slots * 8;
        // A power of two that divides KEYS.
        let values = (1 << (VALUES / columns).ilog2()).min(KEYS);
        variant
            .number("ROWS", format_args!("{}u", self.rows))
            .number("KEYS", format_args!("{KEYS}u"))
            .number("TY", format_args!("{}u", self.ty))
            .number("OWN", self.rows / self.ty)
            .number("SLOTS", format_args!("{}u", self.slots))
            .number("VALUES", format_args!("{values}u"))
            .number("TILE_WORDS", ((self.rows + KEYS) * 9).max(values * columns))
    }
}
