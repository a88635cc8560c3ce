//! The operands of the kernels that read queries, keys and values: `query`, `keys`, `values`, `mask`, and `sinks` and `dst`, or
//! `part` where the keys are split.

use anyhow::Result;

use super::parts::{Parts, Split};
use super::shape::Shape;
use crate::ggml::{Node, Tensor, Type};
use crate::gpu::Caps;
use crate::ops::bind::{Bound, read, write};
use crate::ops::{Planner, elem};
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

/// Bound operands and where they lie.
pub(super) struct Sources {
    pub bound: Bound,
    /// Defines and bindings that do not depend on the kernel.
    pub variant: Variant,
    pub parts: Option<Parts>,
    pub query: View,
    pub keys: View,
    pub values: View,
    pub mask: View,
    pub mask_ne: [u32; 2],
    pub dst: View,
    pub sinks_offset: u32,
    pub part_offset: u32,
}

impl Sources {
    pub fn new(shader: &'static str, node: &Node, shape: &Shape, split: Split, loads: Loads, planner: &mut Planner<'_>) -> Result<Self> {
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
        Ok(Self {
            variant,
            query: bound.view("query", q)?,
            keys: bound.view("keys", k)?,
            values: bound.view("values", v)?,
            mask: mask.map_or(Ok(View::default()), |m| bound.view("mask", m))?,
            mask_ne: mask.map_or([1; 2], |m| [m.ne[2] as u32, m.ne[3] as u32]),
            dst: if parts.is_none() { bound.view("dst", dst)? } else { View::default() },
            sinks_offset: if sinks.is_some() { bound.offset("sinks")? } else { 0 },
            part_offset: if parts.is_some() { bound.offset("part")? } else { 0 },
            parts,
            bound,
        })
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
