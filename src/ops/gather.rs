//! Ops whose every element is an element of the source from another place, or 0: PAD, PAD_REFLECT_1D, ROLL, WIN_PART, WIN_UNPART,
//! GET_REL_POS. Elements are moved as they are, so any type of 1, 2 or 4 bytes will do.

use anyhow::Result;

use super::bind::{read, write};
use super::{Case, Planner, Room, grid, layout, split};
use crate::ggml::{Node, Type, sys};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct Gather;
pub(super) static ROOM: Gather = Gather;

const WG_SIZE: u32 = 256;

/// What the shader computes, and its four numbers.
pub(super) struct Choice {
    kind: &'static str,
    own: [i32; 4],
}

impl Room for Gather {
    type Choice = Choice;

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<Choice> {
        let (src, dst) = (node.source(0)?, &node.dst);
        // GET_REL_POS gives the bits of bf16 under the name of f16, as the CPU backend does.
        let equal = src.ty == dst.ty || node.op == sys::GGML_OP_GET_REL_POS && src.ty.bytes() == dst.ty.bytes();
        if !equal || !matches!(src.ty.bytes(), 1 | 2 | 4) || src.ty.is_quant() {
            crate::unsupported!("{} as {}", src.ty, dst.ty);
        }
        let p = |i: usize| node.params.i32(i);
        // Not below 0: a driver has remainders of negative numbers wrong.
        let wrapped = |before: [i32; 4]| [0, 1, 2, 3].map(|dim| before[dim].rem_euclid(src.ne[dim].max(1) as i32));
        let width = |n: u64, window: i32| n.div_ceil(u64::from(window.max(1).unsigned_abs())) as i32;
        let (kind, own) = match node.op {
            sys::GGML_OP_PAD if p(8) != 0 => ("circular", wrapped([p(0), p(2), p(4), p(6)])),
            sys::GGML_OP_PAD => ("pad", [0, 1, 2, 3].map(|dim| before(node, dim))),
            sys::GGML_OP_ROLL => ("circular", wrapped([p(0), p(1), p(2), p(3)])),
            sys::GGML_OP_PAD_REFLECT_1D => ("reflect", [p(0), 0, 0, 0]),
            sys::GGML_OP_WIN_PART => ("win_part", [p(2), p(0).max(1), 0, 0]),
            sys::GGML_OP_WIN_UNPART => ("win_unpart", [p(0).max(1), width(dst.ne[1], p(0)), 0, 0]),
            _ => ("rel_pos", [0; 4]),
        };
        Ok(Choice { kind, own })
    }

    fn plan(&self, node: &Node, choice: &Choice, planner: &mut Planner<'_>) -> Result<()> {
        let (src, dst) = (node.source(0)?, &node.dst);
        if !dst.contiguous() {
            crate::unsupported!("a result with gaps ({:?} bytes)", dst.nb);
        }
        let unit = u64::from(dst.ty.bytes());
        // An empty source has no memory; nothing is read of what stands for it.
        let bound = planner.bind(&[read("src", if src.is_empty() { dst } else { src }, "u32"), write("dst", dst, "u32")])?;
        let dst_offset = bound.offset("dst")?;
        let ne = src.ne.map(|n| n as i32);
        let params = params::gather::Params {
            count: dst.elements() as u32,
            ne0: dst.ne[0] as u32,
            ne1: dst.ne[1] as u32,
            ne2: dst.ne[2] as u32,
            dst_offset,
            src_view: bound.view("src", src)?,
            src_ne0: ne[0],
            src_ne1: ne[1],
            src_ne2: ne[2],
            src_ne3: ne[3],
            p0: choice.own[0],
            p1: choice.own[1],
            p2: choice.own[2],
            p3: choice.own[3],
        };
        let wg_size = WG_SIZE.min(planner.caps().max_invocations);
        let variant = Variant::new("gather").define("KIND", choice.kind).number("UNIT", unit).constant("wg_size", wg_size);
        let count = layout::stores(dst.elements(), unit, dst_offset);
        planner.dispatch(variant, &bound, &params, grid::groups(count, wg_size))
    }

    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        // Outer ones first, since no piece may have gaps.
        if node.op == sys::GGML_OP_PAD && node.params.i32(8) == 0 {
            let behind = |dim: usize| {
                let before = u64::try_from(before(node, dim)).ok()?;
                Some(split::Axis { dim, step: 1, sources: vec![split::Follow::Behind(dim, before)] })
            };
            return [3, 2, 1, 0].into_iter().map_while(behind).collect();
        }
        // Dimensions in which nothing moves.
        let still = |dim: usize| match node.op {
            sys::GGML_OP_PAD => node.params.i32(2 * dim) == 0 && node.params.i32(2 * dim + 1) == 0,
            sys::GGML_OP_ROLL => node.params.i32(dim) == 0,
            sys::GGML_OP_PAD_REFLECT_1D => dim > 0,
            _ => false,
        };
        split::alike(node, 1..4).into_iter().take_while(|axis| still(axis.dim) || node.dst.ne[axis.dim] == 1).collect()
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for pads in [[0, 0, 0, 0, 0, 0, 0, 0], [1, 0, 0, 2, 0, 0, 0, 0], [2, 1, 3, 0, 1, 1, 0, 2], [0, 3, 0, 0, 0, 0, 1, 0]] {
            let [a, b, c, d, e, f, g, h] = pads;
            cases.push(Case::new(format!("pad {pads:?}"), move |m| m.pad_ext(m.input(Type::F32, [11, 5, 3, 2]), a, b, c, d, e, f, g, h)));
            cases.push(Case::new(format!("pad {pads:?} around"), move |m| {
                m.pad_ext_circular(m.input(Type::F32, [11, 5, 3, 2]), a, b, c, d, e, f, g, h)
            }));
            cases.push(Case::new(format!("pad {pads:?} of a permuted tensor"), move |m| {
                m.pad_ext(m.permute(m.input(Type::F32, [5, 3, 11, 2]), [1, 2, 0, 3]), a, b, c, d, e, f, g, h)
            }));
        }
        for shifts in [[0, 0, 0, 0], [3, -2, 0, 1], [-10, 4, 2, -1]] {
            cases.push(Case::new(format!("roll {shifts:?}"), move |m| {
                m.roll(m.input(Type::F32, [11, 5, 3, 2]), shifts[0], shifts[1], shifts[2], shifts[3])
            }));
        }
        for (before, after) in [(0, 0), (4, 10), (10, 1)] {
            cases.push(Case::new(format!("reflect {before} {after}"), move |m| {
                m.pad_reflect_1d(m.input(Type::F32, [11, 5, 3, 2]), before, after)
            }));
        }
        for (width, height, window) in [(8, 8, 4), (9, 7, 4), (3, 5, 14)] {
            cases.push(Case::new(format!("windows of {window} in {width} by {height}"), move |m| {
                m.win_part(m.input(Type::F32, [6, width, height, 1]), window)
            }));
            cases.push(Case::new(format!("{width} by {height} from windows of {window}"), move |m| {
                let windows = m.win_part(m.input(Type::F32, [6, width, height, 1]), window);
                m.win_unpart(windows, width as i32, height as i32, window)
            }));
        }
        for size in [1, 4, 7] {
            cases.push(Case::new(format!("relative positions of {size}"), move |m| {
                m.get_rel_pos(m.input(Type::F16, [5, 2 * i64::from(size) - 1, 1, 1]), size, size)
            }));
        }
        cases.push(Case::new("pad of nothing", |m| m.pad_ext(m.input(Type::F32, [0, 3, 2, 1]), 4, 1, 0, 0, 0, 0, 0, 0)));
        cases.push(Case::new("pad of 70000 rows", |m| m.pad_ext(m.input(Type::F32, [3, 70_000, 1, 1]), 1, 1, 1, 0, 0, 0, 0, 0)));
        cases
    }
}

/// Elements before the source in a PAD, or in a piece of one, whose source begins no earlier than itself. Negative where the source is
/// cropped, which no piece is.
fn before(node: &Node, dim: usize) -> i32 {
    let all = node.params.i32(2 * dim);
    if all < 0 { all } else { (i64::from(all) - node.first[dim] as i64).max(0) as i32 }
}
