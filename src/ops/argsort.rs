//! ARGSORT and TOP_K on F32 rows of any length: tiles are sorted in workgroup memory, then merged, or their best sorted again.

use anyhow::Result;

use super::bind::{Operand, read, read_bytes, write, write_bytes};
use super::{Case, Planner, Room, elem, grid, split};
use crate::ggml::make::Fill;
use crate::ggml::{Node, Tensor, Type, sys};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct ArgSort;
pub(super) static ROOM: ArgSort = ArgSort;

/// Pairs that are sorted in workgroup memory, at most: 8 KiB.
const TILE: u64 = 1024;
/// Bytes of a pair.
const PAIR: u64 = 8;
/// Pairs in scratch memory at one time: further rows come later.
const MOST_PAIRS: u64 = 1 << 23;

pub(super) struct Choice {
    /// As the shader has it.
    order: u32,
    /// Elements of a row that the result has.
    keep: u64,
}

impl Room for ArgSort {
    type Choice = Choice;

    fn choose(&self, node: &Node, caps: &Caps) -> Result<Choice> {
        let src = node.source(0)?;
        elem::need(src, Type::F32, "a source")?;
        elem::need(&node.dst, Type::I32, "a result")?;
        elem::need_rows(src, "a source")?;
        elem::need_rows(&node.dst, "a result")?;
        if src.ne[0] > TILE && src.ne[0] * PAIR > caps.max_binding {
            crate::unsupported!("rows of {} elements (the limit is {})", src.ne[0], caps.max_binding / PAIR);
        }
        let order = match (node.op, node.params.u32(0)) {
            (sys::GGML_OP_TOP_K, _) if node.dst.ne[0] > 1 => 3,
            (sys::GGML_OP_TOP_K, _) | (_, sys::GGML_SORT_ORDER_DESC) => 1,
            (_, sys::GGML_SORT_ORDER_ASC) => 0,
            (_, other) => crate::unsupported!("the order {other}"),
        };
        Ok(Choice { order, keep: node.dst.ne[0] })
    }

    fn plan(&self, node: &Node, choice: &Choice, planner: &mut Planner<'_>) -> Result<()> {
        let (src, dst) = (node.source(0)?, &node.dst);
        let mut rows = Rows { src, dst, choice, first: 0, count: src.rows() };
        if src.ne[0] <= TILE {
            return rows.sort(None, src.ne[0], None, planner);
        }
        let at_once = (MOST_PAIRS.min(planner.caps().max_binding / PAIR) / src.ne[0]).max(1);
        let bytes = at_once.min(src.rows()) * src.ne[0] * PAIR;
        let buffers = [planner.scratch(bytes), planner.scratch(bytes)];
        while rows.first < src.rows() {
            rows.count = at_once.min(src.rows() - rows.first);
            rows.all_steps(buffers, planner)?;
            rows.first += rows.count;
        }
        Ok(())
    }

    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        split::alike(node, 1..4)
    }

    fn cases(&self) -> Vec<Case> {
        cases()
    }
}

/// Rows that are sorted together.
struct Rows<'a> {
    src: &'a Tensor,
    dst: &'a Tensor,
    choice: &'a Choice,
    first: u64,
    count: u64,
}

/// How many of `count` are left if each group of `size` keeps `keep`.
fn left(count: u64, size: u64, keep: u64) -> u64 {
    count / size * size.min(keep) + (count % size).min(keep)
}

impl Rows<'_> {
    /// Rows longer than a tile.
    fn all_steps(&self, buffers: [u64; 2], planner: &mut Planner<'_>) -> Result<()> {
        let keep = self.choice.keep;
        let [mut from, mut to] = buffers;
        self.sort(None, self.src.ne[0], Some(from), planner)?;
        let mut count = left(self.src.ne[0], TILE, keep);
        // A tile of the best of several tiles: few steps where little is kept.
        while keep <= TILE / 2 && count > TILE {
            self.sort(Some(from), count, Some(to), planner)?;
            count = left(count, TILE, keep);
            (from, to) = (to, from);
        }
        if keep <= TILE / 2 {
            return self.sort(Some(from), count, None, planner);
        }
        let mut run = TILE.min(keep);
        while count > 2 * run {
            count = self.merge(from, count, run, Some(to), planner)?;
            run = (2 * run).min(keep);
            (from, to) = (to, from);
        }
        self.merge(from, count, run, None, planner).map(|_| ())
    }

    /// Sorts tiles of rows of `count` elements, or of the pairs at `from`, into pairs at `to` or the result.
    fn sort(&self, from: Option<u64>, count: u64, to: Option<u64>, planner: &mut Planner<'_>) -> Result<()> {
        let caps = planner.caps();
        let tile = count.min(TILE).next_power_of_two().max(2);
        let wg_size = (tile / 2).clamp(32, 256).min(u64::from(caps.max_invocations)) as u32;
        let source = match from {
            Some(from) => read_bytes("src", from, self.count * count * PAIR, "vec2<u32>"),
            None => read("src", self.src, "f32"),
        };
        let kept = left(count, tile, self.choice.keep);
        let bound = planner.bind(&[source, self.target(to, kept)])?;
        let [_, src_nb1, src_nb2, src_nb3] = bound.view("src", self.src)?.nb;
        let [_, dst_nb1, dst_nb2, dst_nb3] = bound.view("dst", self.dst)?.nb;
        let tiles = count.div_ceil(tile);
        let params = params::argsort_sort::Params {
            rows: self.count as u32,
            count: count as u32,
            tiles: tiles as u32,
            keep: self.choice.keep as u32,
            order: self.choice.order,
            ne1: self.src.ne[1] as u32,
            ne2: self.src.ne[2] as u32,
            src_offset: bound.offset("src")?,
            src_nb1,
            src_nb2,
            src_nb3,
            dst_offset: bound.offset("dst")?,
            dst_nb1,
            dst_nb2,
            dst_nb3,
            row: self.first as u32,
        };
        let variant = Variant::new("argsort/sort")
            .constant("tile", tile as u32)
            .constant("wg_size", wg_size)
            .flag("PAIRS", from.is_some())
            .flag("LAST", to.is_none());
        planner.dispatch(variant, &bound, &params, self.count * tiles)
    }

    /// Merges runs of `run` pairs; gives the pairs of a row in the result.
    fn merge(&self, from: u64, count: u64, run: u64, to: Option<u64>, planner: &mut Planner<'_>) -> Result<u64> {
        let wg_size = planner.caps().max_invocations.min(256);
        let kept = left(count, 2 * run, self.choice.keep);
        let source = read_bytes("src", from, self.count * count * PAIR, "vec2<u32>");
        let bound = planner.bind(&[source, self.target(to, kept)])?;
        let [_, dst_nb1, dst_nb2, dst_nb3] = bound.view("dst", self.dst)?.nb;
        let params = params::argsort_merge::Params {
            rows: self.count as u32,
            count: count as u32,
            run: run as u32,
            keep: self.choice.keep as u32,
            kept: kept as u32,
            ne1: self.src.ne[1] as u32,
            ne2: self.src.ne[2] as u32,
            src_offset: bound.offset("src")?,
            dst_offset: bound.offset("dst")?,
            dst_nb1,
            dst_nb2,
            dst_nb3,
            row: self.first as u32,
            order: self.choice.order,
        };
        let variant = Variant::new("argsort/merge").constant("wg_size", wg_size).flag("LAST", to.is_none());
        planner.dispatch(variant, &bound, &params, grid::groups(self.count * count, wg_size))?;
        Ok(kept)
    }

    /// Pairs of scratch memory, or the result.
    fn target(&self, to: Option<u64>, kept: u64) -> Operand<'_> {
        match to {
            Some(to) => write_bytes("dst", to, self.count * kept * PAIR, "vec2<u32>"),
            None => write("dst", self.dst, "i32"),
        }
    }
}

/// Values that are all different, since ggml leaves the order of equal ones open.
fn distinct(ne: [i64; 4]) -> Fill {
    const PRIME: i64 = 1_000_003;
    Fill::Values((0..ne.iter().product()).map(|i| (i * 7919 % PRIME - PRIME / 2) as f32).collect())
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for ne in [[16, 10, 10, 10], [60, 3, 2, 2], [1, 4, 1, 1], [1023, 2, 1, 3], [1025, 3, 1, 1], [8192, 2, 1, 1], [100_003, 2, 1, 1]] {
        for order in [sys::GGML_SORT_ORDER_ASC, sys::GGML_SORT_ORDER_DESC] {
            cases
                .push(Case::new(format!("argsort {ne:?} order {order}"), move |m| m.argsort(m.filled(Type::F32, ne, distinct(ne)), order)));
        }
    }
    for (ne, k) in [
        ([128, 70, 1, 1], 8),
        ([1000, 3, 1, 1], 1000),
        ([5000, 3, 1, 1], 40),
        ([5000, 3, 2, 1], 700),
        ([200_000, 2, 1, 1], 1),
        ([3001, 2, 1, 1], 3001),
        ([3001, 2, 1, 1], 2),
    ] {
        cases.push(Case::new(format!("top {k} of {ne:?}"), move |m| m.top_k(m.filled(Type::F32, ne, distinct(ne)), k)));
    }
    cases.push(Case::new("argsort of 70000 rows", |m| {
        m.argsort(m.filled(Type::F32, [5, 70_000, 1, 1], distinct([5, 70_000, 1, 1])), sys::GGML_SORT_ORDER_ASC)
    }));
    cases.push(Case::new("argsort of infinities", |m| {
        let values = vec![f32::INFINITY, -1.0, f32::NEG_INFINITY, 2.0, -3.4e38, 1e-40, 3.4e38];
        m.argsort(m.filled(Type::F32, [7, 2, 1, 1], Fill::Values(values)), sys::GGML_SORT_ORDER_ASC)
    }));
    cases
}
