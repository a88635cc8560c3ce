//! CPY, CONT, DUP: element i of the result is element i of the source, in any shape and any strides. Equal types are moved as
//! bytes; F32, F16, BF16 are converted to each other and to types with blocks, those to F32, floats to I32, and I32 to F32.

use anyhow::Result;

use super::bind::{read_elementwise, write};
use super::layout::{self, Pair, Units};
use super::{Case, Planner, Room, elem, grid, split};
use crate::ggml::{Node, Tensor, Type};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

mod blocks;

pub(super) struct Cpy;
pub(super) static ROOM: Cpy = Cpy;

const WG_SIZE: u32 = 256;

/// How elements get from one type to the other.
pub(super) enum Choice {
    /// Both of one element, or equal types.
    Plain(How),
    /// From or to a type with blocks.
    Blocks,
}

/// How elements that are not encoded are copied.
#[derive(Clone, Copy)]
pub(super) enum How {
    /// Equal types: bytes.
    Move,
    /// Plain types of one element.
    Convert,
}

impl Room for Cpy {
    type Choice = Choice;

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<Choice> {
        let (from, to) = (node.source(0)?.ty, node.dst.ty);
        let plain = |ty: Type| ty.is_float() || ty == Type::I32;
        match (from, to) {
            _ if from == to => Ok(Choice::Plain(How::Move)),
            (Type::I32, Type::F32) => Ok(Choice::Plain(How::Convert)),
            _ if from.is_float() && to == Type::I32 => Ok(Choice::Plain(How::Convert)),
            _ if from.is_float() && to.is_float() => Ok(Choice::Plain(How::Convert)),
            _ if from.is_float() && to.is_encoded() || from.is_quant() && to == Type::F32 => Ok(Choice::Blocks),
            _ if plain(from) && plain(to) => crate::unsupported!("a copy of {from} as {to} (integers become f32)"),
            _ => crate::unsupported!("a copy of {from} as {to}"),
        }
    }

    fn plan(&self, node: &Node, choice: &Choice, planner: &mut Planner<'_>) -> Result<()> {
        let (src, dst) = (node.source(0)?, &node.dst);
        let Choice::Plain(how) = *choice else {
            return through_blocks(planner, src, dst);
        };
        if let Some(pair) = Pair::new(src, dst) {
            return copy(planner, how, &pair, src, dst);
        }
        // Neither is contiguous and the shapes differ: by way of a contiguous one.
        let mut between = Tensor { ty: dst.ty, ..*src };
        between.nb = layout::dense(layout::blocks(src), u64::from(dst.ty.bytes()));
        between.data = planner.scratch(between.span());
        for (how, from, to) in [(how, src, &between), (How::Move, &between, dst)] {
            let Some(pair) = Pair::new(from, to) else { crate::unsupported!("a copy of {:?} as {:?}", from.ne, to.ne) };
            copy(planner, how, &pair, from, to)?;
        }
        Ok(())
    }

    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        match node.source(0) {
            Ok(src) if src.same_shape(&node.dst) => {
                let blocks = src.ty.is_quant() || node.dst.ty.is_quant();
                split::alike(node, usize::from(blocks)..4)
            }
            _ => Vec::new(),
        }
    }

    fn cases(&self) -> Vec<Case> {
        cases()
    }
}

/// Moves the elements of `src` to those of `dst`, which has the same type and shape.
pub(super) fn transfer(planner: &mut Planner<'_>, src: &Tensor, dst: &Tensor) -> Result<()> {
    let Some(pair) = Pair::new(src, dst) else { crate::unsupported!("a copy of {:?} as {:?}", src.ne, dst.ne) };
    copy(planner, How::Move, &pair, src, dst)
}

/// A tensor whose elements can be moved as rows or as units of 1, 2 or 4 bytes: itself, or a copy of it in scratch memory.
pub(super) fn movable(planner: &mut Planner<'_>, t: &Tensor) -> Result<Tensor> {
    if t.rows_contiguous() || matches!(t.ty.bytes(), 1 | 2 | 4) {
        return Ok(*t);
    }
    let mut dense = Tensor { nb: layout::dense(layout::blocks(t), u64::from(t.ty.bytes())), ..*t };
    dense.data = planner.scratch(dense.span());
    transfer(planner, t, &dense)?;
    Ok(dense)
}

/// From or to a type with blocks: in one step, or by way of contiguous floats.
fn through_blocks(planner: &mut Planner<'_>, src: &Tensor, dst: &Tensor) -> Result<()> {
    if blocks::copy(planner, src, dst)? {
        return Ok(());
    }
    let plain = if src.ty.is_quant() { dst.ty } else { src.ty };
    let mut between = Tensor { ty: plain, nb: layout::dense(src.ne, u64::from(plain.bytes())), ..*src };
    between.data = planner.scratch(between.span());
    let done = if src.ty.is_quant() {
        blocks::copy(planner, src, &between)? && through_move(planner, &between, dst)?
    } else {
        through_move(planner, src, &between)? && blocks::copy(planner, &between, dst)?
    };
    if !done {
        crate::unsupported!("a copy of {} {:?} as {} {:?}", src.ty, src.ne, dst.ty, dst.ne);
    }
    Ok(())
}

fn through_move(planner: &mut Planner<'_>, src: &Tensor, dst: &Tensor) -> Result<bool> {
    let Some(pair) = Pair::new(src, dst) else { return Ok(false) };
    copy(planner, How::Move, &pair, src, dst)?;
    Ok(true)
}

/// One dispatch for tensors over one shape.
fn copy(planner: &mut Planner<'_>, how: How, pair: &Pair, src: &Tensor, dst: &Tensor) -> Result<()> {
    let caps = planner.caps();
    let wg_size = WG_SIZE.min(caps.max_invocations);
    let variant = Variant::new("cpy").constant("wg_size", wg_size);
    let mut pair = *pair;
    let mut units = Units { bytes: u64::from(dst.ty.bytes()), each: 1 };
    let mut vector = false;
    if let How::Move = how {
        (pair, units) = pair.in_units(u64::from(dst.ty.bytes()), src, dst);
    } else {
        vector = pair.vectors(src, dst, caps);
    }
    let shared = match how {
        How::Move => units.bytes < 4,
        How::Convert => elem::word(dst.ty, caps, false, true) == "atomic<u32>",
    };
    let run = if shared && !vector && units.each == 1 { run(&pair, units.bytes, dst) } else { None };
    let (src_word, dst_word) = match how {
        How::Move => (layout::word(units, false), layout::word(units, run.is_none())),
        How::Convert if run.is_some() => (elem::word(src.ty, caps, false, false), "u32"),
        How::Convert => (elem::word(src.ty, caps, vector, false), elem::word(dst.ty, caps, vector, true)),
    };
    let bound = planner.bind(&[read_elementwise("src", src, src_word), write("dst", dst, dst_word)])?;
    let (src_offset, dst_offset) = (bound.offset("src")?, bound.offset("dst")?);

    let variant = match how {
        How::Move => {
            let variant = variant.flag("MOVE", true).number("UNIT", units.bytes).number("BYTES", format!("{}u", units.bytes));
            variant.define("SRC_WORD", src_word).define("DST_WORD", dst_word)
        }
        How::Convert => {
            let variant = elem::define(variant, &[("SRC", src.ty, src_word), ("DST", dst.ty, dst_word)]);
            let cast = if dst.ty == Type::I32 { "i32" } else { "f32" };
            variant.define("CAST", cast).number("BYTES", format!("{}u", units.bytes)).flag("VEC", vector)
        }
    };
    if vector {
        pair.ne[0] /= 4;
        pair.a[0] *= 4;
        pair.b[0] *= 4;
    }
    let count = match run {
        Some(run) => {
            let words = (u64::from(dst_offset) % 4 + run * units.bytes).div_ceil(4);
            words * (pair.elements() / run)
        }
        None => pair.elements(),
    };
    let params = params::cpy::Params {
        count: count as u32,
        ne0: pair.ne[0] as u32,
        ne1: pair.ne[1] as u32,
        ne2: pair.ne[2] as u32,
        units: units.each as u32,
        run: run.unwrap_or(1) as u32,
        src_view: layout::view(src_offset, pair.ne, pair.a)?,
        dst_view: layout::view(dst_offset, pair.ne, pair.b)?,
    };
    planner.dispatch(variant.flag("WORDS", run.is_some()), &bound, &params, grid::groups(count, wg_size))
}

/// Elements of a run of the destination that shares no word with another run: everything, or a row.
fn run(pair: &Pair, bytes: u64, dst: &Tensor) -> Option<u64> {
    if dst.contiguous() {
        return Some(pair.elements());
    }
    let rows = pair.b[0] == bytes && dst.data.is_multiple_of(4) && (1..4).all(|d| pair.ne[d] == 1 || pair.b[d].is_multiple_of(4));
    rows.then_some(pair.ne[0])
}

fn cases() -> Vec<Case> {
    let mut cases = blocks::cases();
    let floats = [Type::F32, Type::F16, Type::BF16];
    for from in floats {
        for to in floats {
            for ne in [[64, 3, 2, 2], [7, 5, 3, 1]] {
                cases.push(Case::new(format!("{from} as {to} {ne:?}"), move |m| m.cpy(m.input(from, ne), m.input(to, ne))));
                cases.push(Case::new(format!("a permuted {from} as {to} {ne:?}"), move |m| {
                    let a = m.permute(m.input(from, ne), [2, 0, 3, 1]);
                    m.cpy(a, m.input(to, m.ne(a)))
                }));
            }
        }
    }
    for ty in Type::all() {
        cases.push(Case::new(format!("cont and dup of permuted rows of {ty}"), move |m| {
            let a = m.permute(m.input(ty, [i64::from(ty.block()) * 2, 5, 3, 2]), [0, 2, 1, 3]);
            m.also(m.dup(a));
            m.cont(a)
        }));
    }
    for ty in Type::all().filter(|t| !t.is_quant()) {
        cases.push(Case::new(format!("cont of a permuted {ty}"), move |m| m.cont(m.permute(m.input(ty, [5, 7, 3, 2]), [1, 2, 0, 3]))));
        cases.push(Case::new(format!("{ty} into the middle of rows, odd places"), move |m| {
            let b = m.input(ty, [13, 6, 2, 1]);
            let nb = m.nb(b);
            let part = m.view(b, [5, 4, 2, 1], [nb[1], nb[2], nb[3]], 3 * nb[0] + nb[1]);
            m.also(m.cpy(m.input(ty, [10, 2, 2, 1]), part));
            m.cont(b)
        }));
        cases.push(Case::new(format!("{ty} between two permuted tensors of other shapes"), move |m| {
            let a = m.permute(m.input(ty, [6, 4, 5, 1]), [1, 0, 2, 3]);
            let b = m.permute(m.input(ty, [5, 12, 2, 1]), [2, 1, 0, 3]);
            m.cpy(a, b)
        }));
    }
    cases.push(Case::new("i32 as f32", |m| m.cpy(m.input(Type::I32, [33, 5, 2, 1]), m.input(Type::F32, [33, 5, 2, 1]))));
    cases.push(Case::new("f32 as i32", |m| {
        let a = m.filled(Type::F32, [33, 5, 2, 1], crate::ggml::make::Fill::Uniform(-1000.0, 1000.0));
        m.cpy(a, m.input(Type::I32, [33, 5, 2, 1]))
    }));
    cases.push(Case::new("cont of 70000 rows", |m| m.cont(m.permute(m.input(Type::F16, [3, 7, 70_000, 1]), [1, 0, 2, 3]))));
    cases
}
