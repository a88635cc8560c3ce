//! The operands of the kernels that read queries, keys and values: `query`, `keys`, `values`, `mask`, and `sinks` and `dst`, or
//! `part` where the keys are split.

use anyhow::Result;

use super::parts::{Parts, Split};
use super::shape::Shape;
use crate::ggml::{Node, Tensor, Type};
use crate::gpu::Caps;
use crate::ops::bind::{Bound, read, write};
use crate::ops::{Planner, elem};
use crate::shader::params::flash_attn_sources::Params;
use crate::shader::{Variant, View};

/// How a kernel reads keys and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loads {
    /// Single elements.
    Single,
    /// Four at a time, by `q_row4`.
    Four,
    /// Eight at a time, by `q_halves`, and the mask four at a time.
    Eight,
    /// 16 at a time, by `q_load16`.
    Sixteen,
}

/// What does not depend on the kernel.
pub(super) struct Sources {
    bound: Bound,
    pub params: Params,
    parts: Option<Parts>,
}

impl Sources {
    /// The kernel's variant with the defines that follow from the sources, and the sources. `tiles`: tiles of one group of heads.
    pub fn new(
        shader: &'static str,
        node: &Node,
        shape: &Shape,
        tiles: u32,
        split: Split,
        loads: Loads,
        planner: &mut Planner<'_>,
    ) -> Result<(Variant, Self)> {
        let caps = planner.caps();
        let (q, dst) = (node.source(0)?, &node.dst);
        let (k, v) = shape.keys_and_values(node)?;
        let (mask, sinks) = (shape.mask(node), node.src[4].as_ref());
        let parts = (split.count > 1).then(|| Parts::new(shape, split, planner));
        let sinks = sinks.filter(|_| parts.is_none());

        let (mut word_k, mut word_v) = (Word::new(k, loads, caps), Word::new(v, loads, caps));
        // One type is one kind of array, since the two may be views of one tensor.
        if k.ty == v.ty && word_k != word_v {
            (word_k, word_v) = (Word::Plain, Word::Plain);
        }
        let mask_vector = loads == Loads::Eight && mask.is_some_and(|m| elem::vector_rows(m, caps));
        let mask_word = elem::word(Type::F16, caps, mask_vector, false);
        let mut operands = vec![read("query", q, "f32"), read("keys", k, word_k.name(k, caps)), read("values", v, word_v.name(v, caps))];
        operands.extend(mask.map(|m| read("mask", m, mask_word)));
        operands.extend(sinks.map(|s| read("sinks", s, "f32")));
        operands.push(match &parts {
            Some(parts) => parts.written(),
            None => write("dst", dst, "f32"),
        });
        let bound = planner.bind(&operands)?;
        let variant = Variant::new(shader)
            .define("K_TYPE", k.ty.name())
            .define("V_TYPE", v.ty.name())
            .define("K_WORD", word_k.name(k, caps))
            .define("V_WORD", word_v.name(v, caps))
            .define("MASK_WORD", mask_word)
            .flag("k_VEC", word_k == Word::Vector)
            .flag("v_VEC", word_v == Word::Vector)
            .flag("k_WIDE", word_k == Word::Wide)
            .flag("v_WIDE", word_v == Word::Wide)
            .flag("MASK", mask.is_some())
            .flag("mask_VEC", mask_vector)
            .flag("SINKS", sinks.is_some())
            .flag("PARTS", parts.is_some());
        let mask_ne = mask.map_or([1; 2], |m| [m.ne[2] as u32, m.ne[3] as u32]);
        let params = Params {
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
            pieces: 1,
            mask_ne2: mask_ne[0],
            mask_ne3: mask_ne[1],
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
            sinks_offset: if sinks.is_some() { bound.offset("sinks")? } else { 0 },
            part_offset: if parts.is_some() { bound.offset("part")? } else { 0 },
            part_rows: shape.rows() as u32 * split.count,
        };
        Ok((variant, Self { bound, params, parts }))
    }

    /// A workgroup for each tile, piece and part, and the step that joins the parts.
    pub fn dispatch(self, variant: Variant, node: &Node, shape: &Shape, planner: &mut Planner<'_>) -> Result<()> {
        let Params { tiles, pieces, splits, .. } = self.params;
        let workgroups = [tiles, pieces, splits].into_iter().map(u64::from).product::<u64>();
        planner.dispatch(variant, &self.bound, &self.params, shape.groups() * workgroups)?;
        self.parts.map_or(Ok(()), |parts| parts.combine(node, shape, planner))
    }
}

/// The kind of array that keys or values are bound as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Plain,
    Vector,
    Wide,
}

impl Word {
    fn new(t: &Tensor, loads: Loads, caps: &Caps) -> Self {
        match loads {
            Loads::Four if elem::vector_rows(t, caps) => Self::Vector,
            Loads::Eight if t.ty == Type::F16 && elem::wide_rows(t) => Self::Wide,
            Loads::Sixteen if t.ty == Type::F32 && elem::vector_rows(t, caps) => Self::Vector,
            Loads::Sixteen if matches!(t.ty, Type::F16 | Type::BF16) && elem::wide_rows(t) => Self::Wide,
            _ => Self::Plain,
        }
    }

    fn name(self, t: &Tensor, caps: &Caps) -> &'static str {
        match self {
            Self::Wide => "vec4<u32>",
            _ => elem::word(t.ty, caps, self == Self::Vector, false),
        }
    }
}
