//! Shapes and strides without their tensors: two tensors over one shape, with as few dimensions as possible, and copies between
//! them as moves of equal units of bytes.

use anyhow::Result;

use super::elem;
use crate::ggml::Tensor;
use crate::gpu::Caps;
use crate::shader::View;

/// Two layouts over one shape. Elements are blocks where the type has blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// Elements in each dimension.
    pub ne: [u64; 4],
    /// Byte strides of the first.
    pub a: [u64; 4],
    /// Byte strides of the second.
    pub b: [u64; 4],
}

/// How elements of a [`Pair`] are moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Units {
    /// Bytes of a unit: 16, 4, 2 or 1.
    pub bytes: u64,
    /// Units of an element.
    pub each: u64,
}

/// Shape in blocks.
pub fn blocks(t: &Tensor) -> [u64; 4] {
    [t.ne[0] / u64::from(t.ty.block()), t.ne[1], t.ne[2], t.ne[3]]
}

/// Strides of contiguous elements (or blocks) of `bytes` bytes.
pub fn dense(ne: [u64; 4], bytes: u64) -> [u64; 4] {
    [bytes, bytes * ne[0], bytes * ne[0] * ne[1], bytes * ne[0] * ne[1] * ne[2]]
}

/// The array's element type for a binding that is moved in units; `atomic`: units smaller than a word are stored.
pub fn word(units: Units, atomic: bool) -> &'static str {
    match units.bytes {
        16 => "vec4<u32>",
        1 | 2 if atomic => "atomic<u32>",
        _ => "u32",
    }
}

/// The largest unit that divides everything that was or-ed into `all`.
fn unit(all: u64) -> u64 {
    match all.trailing_zeros() {
        0 => 1,
        1 => 2,
        2 | 3 => 4,
        _ => 16,
    }
}

/// The largest unit in which these tensors of one type can be moved. Rows are taken as they are, so elements with gaps must be of
/// 1, 2 or 4 bytes; see [`super::cpy::movable`].
pub fn common_unit(tensors: &[&Tensor]) -> u64 {
    let bytes = tensors.first().map_or(1, |t| u64::from(t.ty.bytes()));
    if !tensors.iter().all(|t| t.rows_contiguous()) {
        return bytes;
    }
    unit(tensors.iter().fold(0, |all, t| {
        let strides = (1..4).filter(|&d| t.ne[d] > 1).fold(0, |all, d| all | t.nb[d]);
        all | t.data | t.row_bytes() | strides
    }))
}

/// Shape and view of a tensor in units of `unit` bytes.
pub fn in_units(t: &Tensor, unit: u64, offset: u32) -> Result<([u32; 4], View)> {
    let (mut ne, mut nb) = (blocks(t), t.nb);
    if t.rows_contiguous() {
        (ne[0], nb[0]) = (t.row_bytes() / unit, unit);
    }
    Ok((ne.map(|n| n as u32), view(offset, ne, nb)?))
}

/// Invocations that store `count` units from byte `offset` on, as `common/units_out.wgsl` does.
pub fn stores(count: u64, unit: u64, offset: u32) -> u64 {
    if unit >= 4 { count } else { (u64::from(offset % 4) + count * unit).div_ceil(4) }
}

impl Pair {
    /// The tensors' elements in order, as the CPU backend's copies pair them. `None` if the shapes differ and neither tensor is
    /// contiguous, or if one has blocks and the other has not.
    pub fn new(a: &Tensor, b: &Tensor) -> Option<Self> {
        let (na, nb) = (blocks(a), blocks(b));
        if a.ty.block() != b.ty.block() {
            return None;
        }
        let pair = if na == nb {
            Self { ne: na, a: a.nb, b: b.nb }
        } else if b.contiguous() {
            Self { ne: na, a: a.nb, b: dense(na, u64::from(b.ty.bytes())) }
        } else if a.contiguous() {
            Self { ne: nb, a: dense(nb, u64::from(a.ty.bytes())), b: b.nb }
        } else {
            return None;
        };
        Some(pair.collapsed(u64::from(a.ty.bytes()), u64::from(b.ty.bytes())))
    }

    /// The same elements in the same order with neighbouring dimensions joined where both layouts allow it.
    fn collapsed(self, a_bytes: u64, b_bytes: u64) -> Self {
        let mut out = Self { ne: [1; 4], a: dense([1; 4], a_bytes), b: dense([1; 4], b_bytes) };
        let mut dims = 0;
        for d in 0..4 {
            let (n, a, b) = (self.ne[d], self.a[d], self.b[d]);
            if n == 1 {
                continue;
            }
            let joins = dims > 0 && a == out.a[dims - 1] * out.ne[dims - 1] && b == out.b[dims - 1] * out.ne[dims - 1];
            if joins {
                out.ne[dims - 1] *= n;
            } else {
                (out.ne[dims], out.a[dims], out.b[dims]) = (n, a, b);
                dims += 1;
            }
        }
        out
    }

    /// Elements.
    pub fn elements(&self) -> u64 {
        self.ne.iter().product()
    }

    /// Whether the rows of both tensors can be seen as vectors of four.
    pub fn vectors(&self, a: &Tensor, b: &Tensor, caps: &Caps) -> bool {
        let fits = |t: &Tensor, nb: [u64; 4]| {
            let bytes = u64::from(t.ty.bytes());
            elem::has_vectors(t.ty, caps)
                && elem::vector_aligned(t.data, t.ty)
                && nb[0] == bytes
                && (1..4).all(|d| self.ne[d] == 1 || nb[d].is_multiple_of(4 * bytes))
        };
        self.ne[0].is_multiple_of(4) && fits(a, self.a) && fits(b, self.b)
    }

    /// The pair as rows whose elements follow each other in both layouts: itself if it is so, else rows of one element. Several
    /// pairs, each with the bytes to skip, where that takes a dimension too many.
    pub fn with_rows(self, a_bytes: u64, b_bytes: u64) -> Vec<(Self, u64, u64)> {
        if self.a[0] == a_bytes && self.b[0] == b_bytes {
            return vec![(self, 0, 0)];
        }
        let rows = |first: u64, n: [u64; 4]| [first, n[0], n[1], n[2]];
        let one = Self { ne: rows(1, self.ne), a: rows(a_bytes, self.a), b: rows(b_bytes, self.b) };
        (0..self.ne[3]).map(|i| (one, i * self.a[3], i * self.b[3])).collect()
    }

    /// The pair and its units, for elements of `bytes` bytes in both tensors that are moved as they are. Rows without gaps become
    /// rows of the largest units that all addresses allow.
    pub fn in_units(mut self, bytes: u64, a: &Tensor, b: &Tensor) -> (Self, Units) {
        let rows = self.a[0] == bytes && self.b[0] == bytes;
        let mut all = a.data | b.data | if rows { bytes * self.ne[0] } else { bytes };
        for d in usize::from(rows)..4 {
            if self.ne[d] > 1 {
                all |= self.a[d] | self.b[d];
            }
        }
        let unit = unit(all);
        if rows {
            self.ne[0] = bytes * self.ne[0] / unit;
            (self.a[0], self.b[0]) = (unit, unit);
            (self, Units { bytes: unit, each: 1 })
        } else {
            (self, Units { bytes: unit, each: bytes / unit })
        }
    }
}

/// A view for a shader from an offset and strides; dimensions of one element get stride 0.
pub fn view(offset: u32, ne: [u64; 4], nb: [u64; 4]) -> Result<View> {
    let mut view = View { offset, nb: [0; 4] };
    for d in 0..4 {
        if ne[d] > 1 {
            let Ok(stride) = u32::try_from(nb[d]) else { crate::unsupported!("a stride of {} bytes (the limit is 4 GiB)", nb[d]) };
            view.nb[d] = stride;
        }
    }
    Ok(view)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ggml::Type;
    use crate::ops::testing::tensor;

    #[test]
    fn contiguous_tensors_are_one_row_of_vectors() {
        let (a, b) = (tensor([4, 6, 2, 1]), tensor([8, 3, 2, 1]));
        let Some(pair) = Pair::new(&a, &b) else { panic!("one is contiguous") };
        let (pair, units) = pair.in_units(4, &a, &b);
        assert_eq!((pair.ne, units), ([12, 1, 1, 1], Units { bytes: 16, each: 1 }));
    }

    #[test]
    fn strided_elements_become_rows_of_one() {
        let pair = Pair { ne: [6, 5, 4, 3], a: [8, 48, 240, 960], b: [4, 24, 120, 480] };
        let rows = pair.with_rows(4, 4);
        assert_eq!(rows.len(), 3);
        assert_eq!(rows[2], (Pair { ne: [1, 6, 5, 4], a: [4, 8, 48, 240], b: [4, 4, 24, 120] }, 1920, 960));
        assert_eq!(pair.with_rows(8, 4), vec![(pair, 0, 0)]);
    }

    #[test]
    fn rows_with_gaps_stay_rows_and_permutations_stay() {
        let mut a = tensor([6, 5, 4, 3]);
        let b = tensor([6, 5, 4, 3]);
        a.nb = [4, 32, 160, 640];
        let Some(pair) = Pair::new(&a, &b) else { panic!("same shape") };
        let (rows, units) = pair.in_units(4, &a, &b);
        assert_eq!((rows.ne, rows.a, units.bytes), ([6, 60, 1, 1], [4, 32, 4, 4], 4));
        a.nb = [120, 4, 24, 480];
        let Some(pair) = Pair::new(&a, &b) else { panic!("same shape") };
        assert_eq!(pair.ne, [6, 5, 4, 3]);
        a.ne = [4, 5, 6, 3];
        let mut c = b;
        c.nb[1] += 4;
        assert_eq!(Pair::new(&a, &c), None);
        a.ty = Type::Q8_0;
        assert_eq!(Pair::new(&a, &b), None);
    }
}
