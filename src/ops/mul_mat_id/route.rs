//! The first step for many tokens: pairs of token and slot in the order of their experts, and a table of tiles, in scratch memory.

use anyhow::Result;

use super::Operands;
use crate::ggml::Tensor;
use crate::ops::Planner;
use crate::ops::bind::{Operand, read, read_bytes, write_bytes};
use crate::shader::{Variant, params};

/// Words of a tile in the table.
const ENTRY: u64 = 3;

/// Where the list and the table are.
pub(super) struct Route {
    list: (u64, u64),
    table: (u64, u64),
    /// Pairs of a tile.
    tile: u32,
    /// Tiles of the table, empty ones included.
    pub tiles: u64,
}

impl Route {
    /// Scratch memory for tiles of `tile` pairs and up to `experts` experts.
    pub(super) fn new(operands: &Operands<'_>, tile: u32, planner: &mut Planner<'_>) -> Self {
        let mut take = |words: u64| (planner.scratch(4 * words), 4 * words);
        let tiles = most_tiles(operands.pairs(), tile, operands.a.ne[2]);
        Self { list: take(operands.pairs()), table: take(ENTRY * tiles), tile, tiles }
    }

    /// Fills both for the experts of `part`, a window of src0 that begins with expert `first`.
    pub(super) fn fill(&mut self, operands: &Operands<'_>, first: u64, part: &Tensor, planner: &mut Planner<'_>) -> Result<()> {
        self.tiles = most_tiles(operands.pairs(), self.tile, part.ne[2]);
        let (ids, dst) = (operands.ids, operands.dst);
        let bound = planner.bind(&[
            read("ids", ids, "i32"),
            write_bytes("list", self.list.0, self.list.1, "u32"),
            write_bytes("table", self.table.0, self.table.1, "u32"),
        ])?;
        let view = bound.view("ids", ids)?;
        let params = params::mul_mat_id_route::Params {
            slots: dst.ne[1] as u32,
            pairs: operands.pairs() as u32,
            experts: operands.a.ne[2] as u32,
            first: first as u32,
            count: part.ne[2] as u32,
            ids_offset: view.offset,
            ids_nb0: view.nb[0],
            ids_nb1: view.nb[1],
            tile: self.tile,
            tiles: self.tiles as u32,
            list_offset: bound.offset("list")?,
            table_offset: bound.offset("table")?,
        };
        let most = planner.caps().max_invocations.min(256);
        let wg_size = (operands.pairs() as u32).clamp(32, 1 << most.ilog2()).next_power_of_two();
        planner.dispatch(Variant::new("mul_mat_id/route").constant("wg_size", wg_size), &bound, &params, part.ne[2])
    }

    /// Both, for the kernel that reads them.
    pub(super) fn operands(&self) -> [Operand<'static>; 2] {
        [read_bytes("list", self.list.0, self.list.1, "u32"), read_bytes("table", self.table.0, self.table.1, "u32")]
    }
}

/// Each expert may leave one tile partly empty.
fn most_tiles(pairs: u64, tile: u32, experts: u64) -> u64 {
    pairs / u64::from(tile) + experts
}
