//! SUM_ROWS, MEAN, SUM and CUMSUM.

use anyhow::Result;

use super::bind::{read, read_elementwise, write};
use super::norm::row_size;
use super::{Case, Planner, Room, elem, split};
use crate::ggml::{Node, Tensor, Type, sys};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct SumRows;
pub(super) static ROOM: SumRows = SumRows;

/// Elements that one workgroup may sum up at the end of SUM.
const LAST: u64 = 16_384;
/// Fewest elements of a piece, where long rows are cut.
const PIECE: u64 = 8192;
/// Workgroups that keep a large device busy.
const PLENTY: u64 = 2048;

impl Room for SumRows {
    type Choice = ();

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<()> {
        let src = node.source(0)?;
        // ggml's other backends take a row's elements as neighbours: an answer from here would be another one.
        elem::need_rows(src, "a source")?;
        if node.op == sys::GGML_OP_SUM {
            elem::need_float(src)?;
            return elem::need(&node.dst, src.ty, "a result");
        }
        elem::need(src, Type::F32, "a source")?;
        elem::need(&node.dst, Type::F32, "a result")
    }

    fn plan(&self, node: &Node, _choice: &(), planner: &mut Planner<'_>) -> Result<()> {
        let (src, dst) = (node.source(0)?, &node.dst);
        match node.op {
            sys::GGML_OP_SUM => sum(src, dst, 1.0, planner),
            sys::GGML_OP_CUMSUM => cumsum(src, dst, planner),
            op => pieces(src, dst, src.ne[0], if op == sys::GGML_OP_MEAN { src.ne[0] as f32 } else { 1.0 }, planner),
        }
    }

    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        if node.op == sys::GGML_OP_SUM { Vec::new() } else { split::alike(node, 1..4) }
    }

    fn windowed(&self) -> &'static [usize] {
        // SUM; the others are cut along their rows before it comes to that.
        &[0]
    }

    fn cases(&self) -> Vec<Case> {
        cases()
    }
}

/// Scratch memory as a contiguous tensor.
pub(super) fn scratch(ne: [u64; 4], planner: &mut Planner<'_>) -> Tensor {
    let nb = [4, 4 * ne[0], 4 * ne[0] * ne[1], 4 * ne[0] * ne[1] * ne[2]];
    Tensor { ty: Type::F32, ne, nb, data: planner.scratch(nb[3] * ne[3]), id: 0, root: 0 }
}

/// A contiguous tensor as one row.
fn one_row(t: &Tensor) -> Tensor {
    let bytes = t.elements() * t.nb[0];
    Tensor { ne: [t.elements(), 1, 1, 1], nb: [t.nb[0], bytes, bytes, bytes], ..*t }
}

/// The sum of a tensor over a divisor: sums of pieces of rows, until one workgroup can sum the rest.
pub(super) fn sum(src: &Tensor, dst: &Tensor, divisor: f32, planner: &mut Planner<'_>) -> Result<()> {
    let mut rest = if src.contiguous() { one_row(src) } else { *src };
    while rest.rows() > 1 || rest.ne[0] > LAST {
        let [ne0, ne1, ne2, ne3] = rest.ne;
        let size = ne0.div_ceil(PLENTY).max(PIECE).next_multiple_of(4);
        let sums = scratch([ne0.div_ceil(size), ne1, ne2, ne3], planner);
        all_pieces(&rest, &sums, size, planner)?;
        rest = one_row(&sums);
    }
    pieces(&rest, dst, LAST, divisor, planner)
}

/// Sums of pieces of a tensor that may be larger than a binding: in windows of rows, or of pieces if it is one row.
fn all_pieces(src: &Tensor, dst: &Tensor, size: u64, planner: &mut Planner<'_>) -> Result<()> {
    let caps = planner.caps();
    if src.rows() != 1 || !split::too_large(src, caps) {
        for (first, part) in split::windows(src, 1, caps) {
            let mut sums = *dst;
            split::narrow(&mut sums, 1, first, first + part.ne[1]);
            pieces(&part, &sums, size, 1.0, planner)?;
        }
        return Ok(());
    }
    let step = (caps.max_binding / 2 / u64::from(src.ty.bytes()) / size).max(1) * size;
    for first in (0..src.ne[0]).step_by(step as usize) {
        let end = (first + step).min(src.ne[0]);
        let (mut part, mut sums) = (*src, *dst);
        split::narrow(&mut part, 0, first, end);
        split::narrow(&mut sums, 0, first / size, end.div_ceil(size));
        pieces(&part, &sums, size, 1.0, planner)?;
    }
    Ok(())
}

/// Sums of pieces of `size` elements: one row of `dst` for each row of `src`.
fn pieces(src: &Tensor, dst: &Tensor, size: u64, divisor: f32, planner: &mut Planner<'_>) -> Result<()> {
    let caps = planner.caps();
    let vector = elem::vector_rows(src, caps) && size.is_multiple_of(4);
    let (ws, wd) = (elem::word(src.ty, caps, vector, false), elem::word(dst.ty, caps, false, true));
    // What nobody reads can be bound anywhere.
    let source = if src.is_empty() { dst } else { src };
    let ws = if src.is_empty() { wd } else { ws };
    let bound = planner.bind(&[read("src", source, ws), write("dst", dst, wd)])?;
    let d = bound.view("dst", dst)?;
    let rows = src.ne[1..].iter().product::<u64>();
    let params = params::sum_rows::Params {
        pieces: dst.ne[0] as u32,
        size: size as u32,
        rows: rows as u32,
        ne0: src.ne[0] as u32,
        ne1: src.ne[1] as u32,
        ne2: src.ne[2] as u32,
        divisor,
        src_view: bound.view("src", src)?,
        dst_offset: d.offset,
        dst_nb1: d.nb[1],
        dst_nb2: d.nb[2],
        dst_nb3: d.nb[3],
    };
    let variant = Variant::new("sum_rows")
        .constant("wg_size", row_size(size.min(src.ne[0]), caps))
        .flag("SUBGROUPS", caps.subgroups.is_some())
        .flag("VEC", vector);
    let variant = elem::define(variant, &[("SRC", src.ty, ws), ("DST", dst.ty, wd)]);
    planner.dispatch(variant, &bound, &params, rows * dst.ne[0])
}

/// Running sums; where there are few long rows, in pieces that know the sums of those before them.
fn cumsum(src: &Tensor, dst: &Tensor, planner: &mut Planner<'_>) -> Result<()> {
    let caps = planner.caps();
    let [ne0, ne1, ne2, ne3] = src.ne;
    let rows = src.rows();
    let size = ne0.div_ceil((PLENTY / rows).max(1)).max(PIECE).next_multiple_of(4);
    let count = ne0.div_ceil(size);
    let sums = if count > 1 { Some(scratch([count, ne1, ne2, ne3], planner)) } else { None };
    let mut operands = vec![read_elementwise("src", src, "f32"), write("dst", dst, "f32")];
    if let Some(sums) = &sums {
        pieces(src, sums, size, 1.0, planner)?;
        operands.push(read("sums", sums, "f32"));
    }
    let bound = planner.bind(&operands)?;
    let params = params::cumsum::Params {
        pieces: count as u32,
        size: size as u32,
        rows: rows as u32,
        ne0: ne0 as u32,
        ne1: ne1 as u32,
        ne2: ne2 as u32,
        src_view: bound.view("src", src)?,
        dst_view: bound.view("dst", dst)?,
        sums_offset: if sums.is_some() { bound.offset("sums")? } else { 0 },
    };
    let variant = Variant::new("cumsum")
        .constant("wg_size", row_size(ne0, caps).min(256))
        .flag("SUBGROUPS", caps.subgroups.is_some())
        .flag("PIECES", sums.is_some());
    planner.dispatch(variant, &bound, &params, rows * count)
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for ne in [[64, 5, 4, 3], [33, 3, 2, 1], [1, 1, 1, 1], [100_003, 2, 1, 1], [3, 70_000, 1, 1]] {
        cases.push(Case::new(format!("sum_rows {ne:?}"), move |m| m.sum_rows(m.input(Type::F32, ne))));
        cases.push(Case::new(format!("mean {ne:?}"), move |m| m.mean(m.input(Type::F32, ne))));
        cases.push(Case::new(format!("cumsum {ne:?}"), move |m| m.cumsum(m.input(Type::F32, ne))));
        cases.push(Case::new(format!("sum {ne:?}"), move |m| m.sum(m.input(Type::F32, ne))));
    }
    for ty in [Type::F16, Type::BF16] {
        // The CPU rounds the sum to the type: one step away is as good.
        cases.push(Case::new(format!("sum {ty}"), move |m| m.sum(m.input(ty, [300, 70, 1, 1]))).tolerance(1e-4));
    }
    cases.push(Case::new("sum of three million", |m| m.sum(m.input(Type::F32, [1_500_003, 2, 1, 1]))));
    cases.push(Case::new("sum of a permuted tensor", |m| m.sum(m.permute(m.input(Type::F32, [64, 7, 5, 3]), [0, 2, 1, 3]))));
    cases.push(Case::new("sum_rows of a permuted view", |m| {
        let a = m.permute(m.input(Type::F32, [64, 7, 5, 3]), [0, 2, 1, 3]);
        let nb = m.nb(a);
        m.sum_rows(m.view(a, [33, 5, 7, 3], [nb[1], nb[2], nb[3]], 12))
    }));
    cases.push(Case::new("cumsum of a permuted tensor", |m| m.cumsum(m.permute(m.input(Type::F32, [64, 7, 5, 3]), [0, 2, 1, 3]))));
    cases
}
