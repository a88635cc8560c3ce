//! The kernel for many rows on devices with matrix units: f16 in, f32 sums.

use anyhow::Result;

use super::parts;
use super::shape::Shape;
use super::sources::{Loads, Sources};
use crate::ggml::{Node, Type};
use crate::gpu::Caps;
use crate::gpu::caps::{AdapterKind, Component, MatrixShape};
use crate::ops::Planner;

/// Workgroups that keep a large GPU busy: two for each of the 132 multiprocessors of an H200.
const BUSY: u64 = 264;
/// Floats of results that an invocation holds at most, and f16 of queries: 64 registers each. More queries stay in workgroup memory.
const MOST_RESULTS: u32 = 64;
const MOST_QUERIES: u32 = 128;
/// Subgroups of a workgroup. Measured on an H200 with tiles of 32 rows, heads of 128: 26 ms with 2, 17 ms with 4, 12 ms with 8; with 64
/// rows 9.9 ms with 4, 6.8 ms with 8.
const MOST_SUBGROUPS: u32 = 16;
/// What software adapters do with matrices, only so that the kernel is tested there: types, and lengths of keys and values. Emulated
/// matrices are slower than `tile`, and each kernel takes seconds to compile.
const SOFTWARE: ([Type; 2], [(u32, u32); 2]) = ([Type::F16, Type::Q8_0], [(64, 64), (128, 128)]);

/// What follows from shapes and capabilities. Sizes in elements.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    matrix: MatrixShape,
    sg: u32,
    /// Subgroups along rows, and along keys and columns.
    wr: u32,
    wc: u32,
    rows: u32,
    keys: u32,
    dk_all: u32,
    dv_all: u32,
    k_part: u32,
    v_part: u32,
    queries: bool,
}

impl Layout {
    /// `None` where another kernel is needed or better.
    pub fn new(node: &Node, shape: &Shape, caps: &Caps) -> Result<Option<Self>> {
        let (k, v) = (node.source(1)?, node.source(2)?);
        // Other floats may be too large for f16, and keep more digits than it.
        let halves = [k, v].iter().all(|t| t.ty == Type::F16 || t.ty.is_quant());
        if !halves || !shape.dk.is_multiple_of(8) || !shape.dv.is_multiple_of(8) || shape.n_kv == 0 || shape.dk == 0 || shape.dv == 0 {
            return Ok(None);
        }
        let (types, lengths) = &SOFTWARE;
        let tested = types.contains(&k.ty) && types.contains(&v.ty) && lengths.contains(&(shape.dk, shape.dv));
        if caps.kind == AdapterKind::Software && !tested {
            return Ok(None);
        }
        let matrix = caps
            .matrices
            .iter()
            .filter(|s| s.component == Component::F16 && s.result == Component::F32 && [s.m, s.n, s.k].iter().all(|n| n % 8 == 0))
            .max_by_key(|s| s.m * s.n * s.k);
        let (Some(&matrix), Some(sg)) = (matrix, caps.fixed_subgroup()) else { return Ok(None) };
        let mut rows = 64;
        while rows > matrix.m && rows / 2 >= shape.group_rows() {
            rows /= 2;
        }
        while rows >= matrix.m {
            for wc in [8, 4, 2, 1] {
                for keys in [64, 32, 16] {
                    let layout = Self::sized(matrix, sg, rows, keys, wc, shape, caps);
                    if layout.is_some() {
                        return Ok(layout);
                    }
                }
            }
            rows /= 2;
        }
        Ok(None)
    }

    /// A layout with these sizes, if they fit.
    fn sized(matrix: MatrixShape, sg: u32, rows: u32, keys: u32, wc: u32, shape: &Shape, caps: &Caps) -> Option<Self> {
        let software = caps.kind == AdapterKind::Software;
        let (most_results, most_subgroups) = if software { (MOST_RESULTS / 2, MOST_SUBGROUPS / 2) } else { (MOST_RESULTS, MOST_SUBGROUPS) };
        let (wr, invocations) = (rows / matrix.m, rows / matrix.m * wc * sg);
        let (dk_all, dv_all) = (shape.dk.next_multiple_of(matrix.k), shape.dv.next_multiple_of(wc * matrix.n));
        let per_row = invocations / rows;
        let fits = rows.is_multiple_of(matrix.m)
            && keys.is_multiple_of(wc * matrix.n)
            && keys.is_multiple_of(matrix.k)
            && dv_all / wc * matrix.m / sg <= most_results
            && wr * wc <= most_subgroups
            && invocations <= caps.max_invocations
            && invocations % rows == 0
            && per_row.is_power_of_two()
            && per_row <= sg.min(keys / 4);
        if !fits {
            return None;
        }
        let queries = dk_all * matrix.m / sg > MOST_QUERIES || software;
        let layout = Self { matrix, sg, wr, wc, rows, keys, dk_all, dv_all, k_part: dk_all, v_part: keys, queries };
        // The largest parts that fit.
        let mut parts: Vec<(u32, u32)> = Vec::new();
        for k_part in (1..=dk_all / matrix.k).rev().map(|n| n * matrix.k).filter(|p| dk_all % p == 0) {
            let mut v_part = keys;
            while v_part.is_multiple_of(matrix.k) && v_part > 0 {
                parts.push((k_part, v_part));
                v_part /= 2;
            }
        }
        parts.sort_by_key(|p| std::cmp::Reverse((p.0 * keys).min(p.1 * dv_all)));
        parts.into_iter().map(|(k_part, v_part)| Self { k_part, v_part, ..layout }).find(|l| l.memory() <= caps.max_workgroup_memory)
    }

    /// f16 of staged keys, values or queries.
    fn tile_halves(&self) -> u32 {
        let staged = if self.queries { 0 } else { self.rows * (self.dk_all + 8) };
        (self.keys * (self.k_part + 8)).max(self.v_part * (self.dv_all + 8)).max(staged)
    }

    /// f32 of scores, or of one matrix of each subgroup.
    fn score_words(&self) -> u32 {
        (self.rows * (self.keys + 4)).max(self.wr * self.wc * self.matrix.m * self.matrix.n)
    }

    /// Bytes of workgroup memory.
    fn memory(&self) -> u32 {
        let queries = if self.queries { self.rows * (self.dk_all + 8) } else { 0 };
        2 * (self.tile_halves() + queries + self.rows * (self.keys + 8)) + 4 * (self.score_words() + self.rows) + 32
    }
}

pub(super) fn plan(node: &Node, shape: &Shape, layout: &Layout, planner: &mut Planner<'_>) -> Result<()> {
    let Layout { matrix, sg, wr, wc, rows, keys, .. } = *layout;
    let tiles = shape.group_rows().div_ceil(rows);
    let workgroups = shape.groups() * u64::from(tiles);
    let split = parts::split(shape.n_kv, workgroups, BUSY, keys, 4 * keys.max(64));
    let (variant, s) = Sources::new("flash_attn/matrix", node, shape, tiles, split, Loads::Eight, planner)?;
    let loads = |n: u32, length: u32| (n * length / 8).div_ceil(wr * wc * sg);
    let (k_loads, v_loads) = (loads(keys, layout.k_part), loads(layout.v_part, layout.dv_all));
    let variant = variant
        .flag("MATRIX", true)
        .flag("SUBGROUPS", true)
        .flag("SUBGROUP_SIZE", planner.caps().subgroup_size_control)
        .flag("QUERIES", layout.queries)
        .number("MM", format_args!("{}u", matrix.m))
        .number("MN", format_args!("{}u", matrix.n))
        .number("MK", format_args!("{}u", matrix.k))
        .number("SG", format_args!("{sg}u"))
        .number("WR", format_args!("{wr}u"))
        .number("WC", format_args!("{wc}u"))
        .number("RM", format_args!("{}u", rows / wr / matrix.m))
        .number("RN", format_args!("{}u", keys / wc / matrix.n))
        .number("ON", format_args!("{}u", layout.dv_all / wc / matrix.n))
        .number("TPR", format_args!("{}u", wr * wc * sg / rows))
        .number("GROUPS", keys / 4 * rows / (wr * wc * sg))
        .flag("WHOLE", layout.k_part == layout.dk_all && layout.v_part == keys)
        .number("K_LOADS", k_loads)
        .number("V_LOADS", v_loads)
        .number("PIECES", k_loads.max(v_loads))
        .number("ROWS", format_args!("{rows}u"))
        .number("KEYS", format_args!("{keys}u"))
        .number("DK", format_args!("{}u", shape.dk))
        .number("DV", format_args!("{}u", shape.dv))
        .number("DK_ALL", format_args!("{}u", layout.dk_all))
        .number("DV_ALL", format_args!("{}u", layout.dv_all))
        .number("K_PART", format_args!("{}u", layout.k_part))
        .number("V_PART", format_args!("{}u", layout.v_part))
        .number("TILE_HALVES", layout.tile_halves())
        .number("SCORE_WORDS", layout.score_words());
    s.dispatch(variant, node, shape, planner)
}
