//! Copies from plain floats to a type with blocks, and from a type with blocks to F32.

use anyhow::Result;

use crate::ggml::{Tensor, Type};
use crate::ops::bind::{read, write};
use crate::ops::{Case, Planner, elem, grid, layout};
use crate::shader::{Variant, params};

/// Both tensors over one shape: its elements, and each one's strides. Those of dimension 0 are of blocks where the type has blocks.
struct Over {
    ne: [u64; 4],
    src: [u64; 4],
    dst: [u64; 4],
}

impl Over {
    /// `None` if the shapes differ and neither tensor may take the other's shape. Rows are whole blocks.
    fn new(src: &Tensor, dst: &Tensor) -> Option<Self> {
        let block = u64::from(src.ty.block().max(dst.ty.block()));
        let as_dense = |t: &Tensor, ne: [u64; 4]| {
            let row = ne[0] / u64::from(t.ty.block());
            layout::dense([row, ne[1], ne[2], ne[3]], u64::from(t.ty.bytes()))
        };
        if src.same_shape(dst) {
            Some(Self { ne: src.ne, src: src.nb, dst: dst.nb })
        } else if dst.contiguous() && src.ne[0].is_multiple_of(block) {
            Some(Self { ne: src.ne, src: src.nb, dst: as_dense(dst, src.ne) })
        } else if src.contiguous() && dst.ne[0].is_multiple_of(block) {
            Some(Self { ne: dst.ne, src: as_dense(src, dst.ne), dst: dst.nb })
        } else {
            None
        }
    }
}

/// Plans the copy. False if it has to go by way of a contiguous tensor of floats.
pub(super) fn copy(planner: &mut Planner<'_>, src: &Tensor, dst: &Tensor) -> Result<bool> {
    let Some(over) = Over::new(src, dst) else { return Ok(false) };
    let caps = planner.caps();
    let wg_size = caps.max_invocations.min(256);
    let encode = dst.ty.is_quant();
    let (plain, strides) = if encode { (src, over.src) } else { (dst, over.dst) };
    let rows = strides[0] == u64::from(plain.ty.bytes());
    let bytes = u64::from(4 * plain.ty.bytes());
    let vector =
        rows && plain.data % bytes == 0 && elem::has_vectors(plain.ty, caps) && (1..4).all(|d| over.ne[d] == 1 || strides[d] % bytes == 0);
    let ws = elem::word(src.ty, caps, vector && encode, false);
    let wd = elem::word(dst.ty, caps, vector && !encode, true);
    let bound = planner.bind(&[read("src", src, ws), write("dst", dst, wd)])?;
    let variant = Variant::new("cpy_blocks")
        .constant("wg_size", wg_size)
        .flag("ENCODE", encode)
        .flag("ROWS", rows)
        .flag(if encode { "src_VEC" } else { "dst_VEC" }, vector)
        .number("BLOCK", format!("{}u", src.ty.block()));
    let variant = elem::define(variant, &[("SRC", src.ty, ws), ("DST", dst.ty, wd)]);
    let each = if encode { u64::from(dst.ty.block()) } else { 4 };
    let count = over.ne.iter().product::<u64>() / each;
    let params = params::cpy_blocks::Params {
        count: count as u32,
        ne0: (over.ne[0] / each) as u32,
        ne1: over.ne[1] as u32,
        ne2: over.ne[2] as u32,
        src_view: layout::view(bound.offset("src")?, over.ne, over.src)?,
        dst_view: layout::view(bound.offset("dst")?, over.ne, over.dst)?,
    };
    planner.dispatch(variant, &bound, &params, grid::groups(count, wg_size))?;
    Ok(true)
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for ty in Type::all().filter(|t| t.is_quant()) {
        cases.push(Case::new(format!("{ty} as f32"), move |m| m.cpy(m.input(ty, [512, 3, 2, 2]), m.input(Type::F32, [512, 3, 2, 2]))));
    }
    for ty in Type::all().filter(|t| t.is_encoded()) {
        for from in [Type::F32, Type::F16, Type::BF16] {
            cases.push(Case::new(format!("{from} as {ty}"), move |m| m.cpy(m.input(from, [256, 3, 2, 1]), m.input(ty, [256, 3, 2, 1]))));
        }
    }
    for ty in [Type::Q8_0, Type::Q4_1] {
        cases.push(Case::new(format!("f32 as {ty}, permuted rows, another shape"), move |m| {
            // Longer rows than the source's: the CPU backend counts its work memory by them.
            m.cpy(m.permute(m.input(Type::F32, [64, 5, 3, 2]), [0, 2, 1, 3]), m.input(ty, [192, 5, 2, 1]))
        }));
        cases.push(Case::new(format!("permuted {ty} as f32"), move |m| {
            let a = m.permute(m.input(ty, [64, 5, 3, 2]), [0, 2, 1, 3]);
            m.cpy(a, m.input(Type::F32, m.ne(a)))
        }));
        cases.push(Case::new(format!("{ty} as f32 of another shape, in the middle of rows"), move |m| {
            let b = m.input(Type::F32, [70, 9, 2, 1]);
            let nb = m.nb(b);
            let part = m.view(b, [64, 5, 2, 1], [nb[1], nb[2], nb[3]], 3 * nb[0] + nb[1]);
            m.also(m.cpy(m.input(ty, [32, 10, 2, 1]), part));
            m.cont(b)
        }));
        cases.push(Case::new(format!("a permuted {ty} as permuted f32 of another shape"), move |m| {
            let a = m.permute(m.input(ty, [64, 5, 3, 2]), [0, 2, 1, 3]);
            let b = m.permute(m.input(Type::F32, [32, 5, 6, 2]), [0, 2, 1, 3]);
            m.cpy(a, b)
        }));
    }
    cases
}
