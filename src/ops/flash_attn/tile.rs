//! The kernel for every device and every node: tiles of 8 or 32 rows in workgroup memory.

use anyhow::Result;

use super::parts::{self, Parts};
use super::shape::Shape;
use crate::ggml::{Node, Tensor, Type};
use crate::gpu::Caps;
use crate::ops::bind::{read, write};
use crate::ops::{Planner, elem};
use crate::shader::{Variant, View, params};

/// Keys of a tile.
const KEYS: u32 = 32;
/// Groups of four elements for each step of workgroup memory's second use, the values: 8 KiB.
const VALUES: u32 = 512;
/// Registers for a slot of the result hold four floats; more slots than this for a row would not fit.
const MOST_SLOTS: u32 = 16;

pub(super) fn plan(node: &Node, shape: &Shape, planner: &mut Planner<'_>) -> Result<()> {
    let caps = planner.caps();
    let (q, dst) = (node.source(0)?, &node.dst);
    let (k, v) = shape.keys_and_values(node)?;
    let (mask, sinks) = (shape.mask(node), node.src[4].as_ref());
    let tiling = Tiling::new(shape);
    let tiles = shape.group_rows().div_ceil(tiling.rows);
    let workgroups = shape.groups() * u64::from(tiles) * u64::from(tiling.pieces);
    let split = parts::split(shape.n_kv, workgroups, KEYS, 8 * KEYS);
    let parts = (split.count > 1).then(|| Parts::new(shape, split, planner));

    let ragged = shape.dk % 4 != 0 || shape.dv % 4 != 0;
    let vector = |t: &Tensor| !ragged && elem::vector_rows(t, caps);
    // One type is one kind of array: the two may be views of one tensor.
    let (vector_k, vector_v) = if k.ty == v.ty { (vector(k) && vector(v), vector(k) && vector(v)) } else { (vector(k), vector(v)) };
    let (word_k, word_v) = (elem::word(k.ty, caps, vector_k, false), elem::word(v.ty, caps, vector_v, false));
    let mut operands = vec![read("query", q, "f32"), read("keys", k, word_k), read("values", v, word_v)];
    if let Some(mask) = mask {
        operands.push(read("mask", mask, elem::word(Type::F16, caps, false, false)));
    }
    match (&parts, sinks) {
        (Some(parts), _) => operands.push(parts.written()),
        (None, Some(sinks)) => operands.extend([read("sinks", sinks, "f32"), write("dst", dst, "f32")]),
        (None, None) => operands.push(write("dst", dst, "f32")),
    }
    let bound = planner.bind(&operands)?;
    let variant = Variant::new("flash_attn/tile")
        .define("K_TYPE", k.ty.name())
        .define("V_TYPE", v.ty.name())
        .define("K_WORD", word_k)
        .define("V_WORD", word_v)
        .define("MASK_WORD", elem::word(Type::F16, caps, false, false))
        .number("K_BYTES", format_args!("{}u", k.ty.bytes()))
        .number("V_BYTES", format_args!("{}u", v.ty.bytes()))
        .flag("k_VEC", vector_k)
        .flag("v_VEC", vector_v)
        .flag("RAGGED", ragged)
        .flag("MASK", mask.is_some())
        .flag("SINKS", sinks.is_some() && parts.is_none())
        .flag("PARTS", parts.is_some());
    let params = params::flash_attn_tile::Params {
        n_q: shape.n_q,
        n_kv: shape.n_kv,
        dk: shape.dk,
        dv: shape.dv,
        n_head: shape.n_head,
        group: shape.group,
        k_ratio: shape.ratios[0],
        v_ratio: shape.ratios[1],
        batch: shape.batch,
        tiles,
        splits: split.count,
        split_keys: split.keys,
        pieces: tiling.pieces,
        mask_ne2: mask.map_or(1, |m| m.ne[2] as u32),
        mask_ne3: mask.map_or(1, |m| m.ne[3] as u32),
        scale: shape.scale,
        softcap: shape.softcap,
        alibi_heads: shape.alibi.0,
        alibi_0: shape.alibi.1[0],
        alibi_1: shape.alibi.1[1],
        query_view: bound.view("query", q)?,
        keys_view: bound.view("keys", k)?,
        values_view: bound.view("values", v)?,
        mask_view: mask.map_or(Ok(View::default()), |m| bound.view("mask", m))?,
        dst_view: if parts.is_none() { bound.view("dst", dst)? } else { View::default() },
        sinks_offset: if sinks.is_some() && parts.is_none() { bound.offset("sinks")? } else { 0 },
        part_offset: if parts.is_some() { bound.offset("part")? } else { 0 },
        part_rows: shape.rows() as u32 * split.count,
    };
    planner.dispatch(tiling.define(variant, caps), &bound, &params, workgroups * u64::from(split.count))?;
    parts.map_or(Ok(()), |parts| parts.combine(node, shape, planner))
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

    fn define(&self, variant: Variant, _caps: &Caps) -> Variant {
        let columns = self.slots * 8;
        // A power of two that divides KEYS.
        let values = (1 << (VALUES / columns).ilog2()).min(KEYS);
        variant
            .number("ROWS", format_args!("{}u", self.rows))
            .number("KEYS", format_args!("{KEYS}u"))
            .number("TY", format_args!("{}u", self.ty))
            .number("SLOTS", format_args!("{}u", self.slots))
            .number("VALUES", format_args!("{values}u"))
            .number("TILE_WORDS", ((self.rows + KEYS) * 9).max(values * columns))
    }
}
