//! Nodes with tensors larger than a binding, or with more elements than 32 bits count: cut into pieces along dimensions that
//! are independent, each piece a node of its own over views of the same memory.

use anyhow::Result;

use super::AnyRoom;
use crate::error::Error;
use crate::ggml::{Node, Tensor};
use crate::gpu::Caps;

/// Elements that one dispatch may index.
const MAX_ELEMENTS: u64 = 1 << 31;

/// How a source follows when the result is cut along a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Follow {
    /// Its dimension has the same length and is cut at the same place.
    Same(usize),
    /// Its dimension repeats: index modulo its length. Cut only at multiples of the length (whole if it is 1).
    Repeat(usize),
    /// Its dimension is shared by groups: index divided by the ratio of the lengths.
    Group(usize),
    /// It lies in the result behind so many elements, and only there.
    Behind(usize, u64),
    /// It stays whole.
    Whole,
}

/// A dimension of the result along which the node may be cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// The dimension of the result.
    pub dim: usize,
    /// Pieces begin at multiples of this.
    pub step: u64,
    /// What each source does.
    pub sources: Vec<Follow>,
}

/// The result, in [`super::Room::windowed`].
pub const RESULT: usize = crate::ggml::tensor::MAX_SRC;

/// Axes of a node whose result and sources are indexed alike in `dims`, with sources that repeat: element by element ops and
/// ops on rows.
pub fn alike(node: &Node, dims: std::ops::Range<usize>) -> Vec<Axis> {
    dims.rev()
        .map(|dim| Axis {
            dim,
            step: 1,
            sources: node
                .src
                .iter()
                .map(|s| match s {
                    Some(s) if s.ne[dim] == node.dst.ne[dim] => Follow::Same(dim),
                    Some(_) => Follow::Repeat(dim),
                    None => Follow::Whole,
                })
                .collect(),
        })
        .collect()
}

/// Whether a tensor needs more than one binding or index range.
pub(super) fn too_large(t: &Tensor, caps: &Caps) -> bool {
    t.span() + 2 * u64::from(caps.offset_alignment) > caps.max_binding || t.elements() > MAX_ELEMENTS
}

/// A tensor as windows along its outermost dimension `dim` that each fit a binding, with the index of each one's first.
pub fn windows(t: &Tensor, dim: usize, caps: &Caps) -> Vec<(u64, Tensor)> {
    if !too_large(t, caps) {
        return vec![(0, *t)];
    }
    let one = first_of(t, dim);
    let room = caps.max_binding.saturating_sub(2 * u64::from(caps.offset_alignment) + one.span());
    let step = (room / t.nb[dim].max(1) + 1).min(MAX_ELEMENTS / one.elements().max(1)).max(1);
    let mut out = Vec::new();
    for first in (0..t.ne[dim]).step_by(step as usize) {
        let mut part = *t;
        narrow(&mut part, dim, first, (first + step).min(t.ne[dim]));
        out.push((first, part));
    }
    out
}

/// The first row, plane or block of planes.
fn first_of(t: &Tensor, dim: usize) -> Tensor {
    let mut one = *t;
    one.ne[dim..].fill(1);
    one
}

/// Whether all tensors fit but those that the room binds in windows.
fn fits_in_windows(room: &dyn AnyRoom, node: &Node, caps: &Caps) -> bool {
    let windowed = room.windowed();
    let dim = room.window_dim();
    let fits = |i: usize, t: &Tensor| {
        let outermost = t.ne[dim + 1..].iter().all(|&n| n == 1);
        !too_large(t, caps) || windowed.contains(&i) && outermost && !too_large(&first_of(t, dim), caps)
    };
    fits(RESULT, &node.dst) && node.src.iter().enumerate().all(|(i, s)| s.as_ref().is_none_or(|s| fits(i, s)))
}

/// Whether `each` will find pieces that fit.
pub fn check(room: &dyn AnyRoom, node: &Node, caps: &Caps) -> Result<()> {
    each(room, node, caps, &mut |_| Ok(()))
}

/// Calls `piece` with the node, or with pieces of it that fit.
pub fn each(room: &dyn AnyRoom, node: &Node, caps: &Caps, piece: &mut dyn FnMut(&Node) -> Result<()>) -> Result<()> {
    let fits = |n: &Node| !too_large(&n.dst, caps) && !n.sources().any(|s| too_large(s, caps));
    if fits(node) {
        return piece(node);
    }
    for axis in room.axes(node) {
        if let Some((a, b)) = halve(node, &axis) {
            // Only an axis that makes some oversized tensor smaller helps.
            let shrinks = |n: &Node| {
                (too_large(&node.dst, caps) && n.dst.span() < node.dst.span())
                    || node.src.iter().zip(&n.src).any(|p| match p {
                        (Some(old), Some(new)) => too_large(old, caps) && new.span() < old.span(),
                        _ => false,
                    })
            };
            if shrinks(&a) {
                each(room, &a, caps, piece)?;
                return each(room, &b, caps, piece);
            }
        }
    }
    if fits_in_windows(room, node, caps) {
        return piece(node);
    }
    let largest = node.sources().chain([&node.dst]).map(Tensor::span).max().unwrap_or(0);
    Err(Error::Unsupported(format!("a tensor of {largest} bytes (the largest binding is {})", caps.max_binding)).into())
}

/// Cuts near the middle of the result's dimension; `None` if no cut is allowed.
fn halve(node: &Node, axis: &Axis) -> Option<(Node, Node)> {
    let n = node.dst.ne[axis.dim];
    let mut step = axis.step.max(1);
    for (follow, source) in axis.sources.iter().zip(&node.src) {
        let Some(s) = source else { continue };
        match *follow {
            Follow::Repeat(d) if s.ne[d] > 1 => step = lcm(step, s.ne[d]),
            Follow::Group(d) if s.ne[d] > 1 => step = lcm(step, n / s.ne[d]),
            _ => {}
        }
    }
    let at = (n / 2).next_multiple_of(step);
    if at == 0 || at >= n {
        return None;
    }
    Some((cut(node, axis, 0, at), cut(node, axis, at, n)))
}

fn cut(node: &Node, axis: &Axis, from: u64, to: u64) -> Node {
    let n = node.dst.ne[axis.dim];
    let mut piece = node.clone();
    narrow(&mut piece.dst, axis.dim, from, to);
    piece.first[axis.dim] += from;
    for (follow, source) in axis.sources.iter().zip(&mut piece.src) {
        let Some(s) = source else { continue };
        match *follow {
            Follow::Same(d) => narrow(s, d, from, to),
            Follow::Group(d) => {
                let ratio = n / s.ne[d];
                narrow(s, d, from / ratio, to.div_ceil(ratio));
            }
            Follow::Behind(d, before) => {
                let own = |i: u64| i.saturating_sub(before).min(s.ne[d]);
                narrow(s, d, own(from), own(to));
            }
            Follow::Repeat(_) | Follow::Whole => {}
        }
    }
    piece
}

/// The part `from..to` of a tensor's dimension.
pub(super) fn narrow(t: &mut Tensor, dim: usize, from: u64, to: u64) {
    let step = if dim == 0 { u64::from(t.ty.block()) } else { 1 };
    if t.data != 0 {
        t.data += from / step * t.nb[dim];
    }
    t.ne[dim] = to - from;
}

fn lcm(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::testing::{caps, node, tensor};

    #[test]
    fn windows_cover_the_outermost_dimension_once() {
        let mut caps = caps();
        caps.max_binding = 4096;
        for (t, dim) in [(tensor([16, 401, 1, 1]), 1), (tensor([16, 8, 50, 1]), 2)] {
            let mut next = 0;
            for (first, part) in windows(&t, dim, &caps) {
                assert_eq!(first, next);
                assert_eq!(part.data, t.data + first * t.nb[dim]);
                assert!(!too_large(&part, &caps));
                next = first + part.ne[dim];
            }
            assert_eq!(next, t.ne[dim]);
        }
    }

    #[test]
    fn pieces_cover_the_result_once_and_follow_broadcasts() -> Result<()> {
        let mut caps = caps();
        caps.max_binding = 4096;
        let add = node(crate::ggml::sys::GGML_OP_ADD, tensor([16, 40, 6, 2]), &[tensor([16, 40, 6, 2]), tensor([16, 1, 3, 1])]);
        let mut bytes = 0;
        let mut seen = Vec::new();
        each(super::super::room(add.op)?, &add, &caps, &mut |piece| {
            let (dst, a, b) = (&piece.dst, piece.source(0)?, piece.source(1)?);
            assert_eq!(dst.ne, a.ne);
            assert!(b.repeats_into(dst), "{:?} does not repeat into {:?}", b.ne, dst.ne);
            assert_eq!(dst.data - add.dst.data, a.data - add.source(0)?.data);
            // A repeated source begins at the same index, modulo its length.
            let planes = (dst.data - add.dst.data) / add.dst.nb[2];
            assert_eq!((b.data - add.source(1)?.data) / add.source(1)?.nb[2], planes % 3);
            let start: u64 = piece.first.iter().zip(add.dst.nb).map(|(&i, nb)| i * nb).sum();
            assert_eq!(start, dst.data - add.dst.data);
            seen.push((dst.data, dst.span()));
            bytes += dst.elements() * 4;
            Ok(())
        })?;
        assert_eq!(bytes, add.dst.span());
        assert!(seen.len() > 3 && seen.iter().all(|p| p.1 <= 4096), "{seen:?}");
        Ok(())
    }
}
