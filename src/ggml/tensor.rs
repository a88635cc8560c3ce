//! Tensors and nodes as plain values: what ops look at. They hold no pointer that is followed later.

use super::op_params::OpParams;
use super::sys;
use super::types::Type;

/// Sources of a node.
pub const MAX_SRC: usize = sys::GGML_MAX_SRC as usize;

/// A tensor: type, shape, strides and place. Dimension 0 is innermost; strides are in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tensor {
    /// Element type.
    pub ty: Type,
    /// Elements in each dimension.
    pub ne: [u64; 4],
    /// Bytes from one element (or block) to the next in each dimension.
    pub nb: [u64; 4],
    /// Address of the first byte, in the range of addresses that its buffer stands for; 0 before it is allocated.
    pub data: u64,
    /// Identity: the address of ggml's struct. Never followed.
    pub id: usize,
    /// The tensor that it is a view of, or itself.
    pub root: usize,
}

impl Tensor {
    /// Elements.
    pub fn elements(&self) -> u64 {
        self.ne.iter().product()
    }

    /// Rows: elements over those of a row.
    pub fn rows(&self) -> u64 {
        self.ne[1..].iter().product()
    }

    /// Whether it has no element.
    pub fn is_empty(&self) -> bool {
        self.elements() == 0
    }

    /// Bytes of a row without padding.
    pub fn row_bytes(&self) -> u64 {
        self.ne[0] / u64::from(self.ty.block()) * u64::from(self.ty.bytes())
    }

    /// Bytes from the first to behind the last element.
    pub fn span(&self) -> u64 {
        if self.is_empty() {
            return 0;
        }
        let last: u64 = (1..4).map(|d| (self.ne[d] - 1) * self.nb[d]).sum();
        last + (self.ne[0] / u64::from(self.ty.block()) - 1) * self.nb[0] + u64::from(self.ty.bytes())
    }

    /// Whether the elements of a row follow each other.
    pub fn rows_contiguous(&self) -> bool {
        self.nb[0] == u64::from(self.ty.bytes())
    }

    /// Whether all elements follow each other in order. Dimensions of one element may have any stride.
    pub fn contiguous(&self) -> bool {
        let mut expected = u64::from(self.ty.bytes());
        for d in 0..4 {
            if self.ne[d] != 1 && self.nb[d] != expected {
                return false;
            }
            expected *= if d == 0 { self.ne[0] / u64::from(self.ty.block()) } else { self.ne[d] };
        }
        true
    }

    /// Whether `other` has the same number of elements in each dimension.
    pub fn same_shape(&self, other: &Self) -> bool {
        self.ne == other.ne
    }

    /// Whether `self` repeats into `other`: each dimension of `other` is a multiple.
    pub fn repeats_into(&self, other: &Self) -> bool {
        if self.is_empty() { other.is_empty() } else { self.ne.iter().zip(other.ne).all(|(&a, b)| b % a == 0) }
    }

    /// Whether the bytes of `other` are the same ones, laid out the same way.
    pub fn same_bytes(&self, other: &Self) -> bool {
        self.data == other.data && self.ne == other.ne && self.nb == other.nb && self.ty == other.ty
    }
}

/// A node of a graph: what to compute from which tensors into which.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// ggml's op.
    pub op: sys::ggml_op,
    /// The result.
    pub dst: Tensor,
    /// The sources.
    pub src: [Option<Tensor>; MAX_SRC],
    /// Parameters.
    pub params: OpParams,
    /// `GGML_TENSOR_FLAG_*`.
    pub flags: i32,
    /// The result's name in the graph.
    pub name: String,
    /// Index of the result's first element, in a piece of a larger node; zeros in a whole one.
    pub first: [u64; 4],
    /// Shape of the result, in a piece that of the whole one.
    pub whole: [u64; 4],
}

impl Node {
    /// Source `i`, or a clear error.
    pub fn source(&self, i: usize) -> anyhow::Result<&Tensor> {
        self.src
            .get(i)
            .and_then(Option::as_ref)
            .ok_or_else(|| crate::error::Error::Unsupported(format!("{} has no source {i}", op_name(self.op))).into())
    }

    /// The sources that there are.
    pub fn sources(&self) -> impl Iterator<Item = &Tensor> {
        self.src.iter().flatten()
    }
}

/// ggml's name of an op.
pub fn op_name(op: sys::ggml_op) -> &'static str {
    if op >= sys::GGML_OP_COUNT {
        return "UNKNOWN";
    }
    // SAFETY: `op` is below the count, so ggml returns a static string.
    let name = unsafe { std::ffi::CStr::from_ptr(sys::ggml_op_name(op)) };
    name.to_str().unwrap_or("UNKNOWN")
}

/// Reads a tensor; `Err` names a type that shaders don't know.
///
/// # Safety
/// `tensor` points to a live `ggml_tensor`.
pub unsafe fn read_tensor(tensor: *const sys::ggml_tensor) -> Result<Tensor, sys::ggml_type> {
    // SAFETY: the caller's promise.
    let t = unsafe { &*tensor };
    let ty = Type::from_ggml(t.type_).ok_or(t.type_)?;
    Ok(Tensor {
        ty,
        ne: t.ne.map(|n| n.max(0) as u64),
        nb: t.nb.map(|n| n as u64),
        data: t.data as u64,
        id: tensor as usize,
        root: if t.view_src.is_null() { tensor as usize } else { t.view_src as usize },
    })
}

/// Reads a node with its sources; an error names the type that shaders don't know.
///
/// # Safety
/// `tensor` and its sources point to live tensors.
pub unsafe fn read_node(tensor: *const sys::ggml_tensor) -> anyhow::Result<Node> {
    // SAFETY: the caller's promise.
    let t = unsafe { &*tensor };
    let read = |p: *const sys::ggml_tensor| {
        // SAFETY: the caller's promise holds for the sources too.
        unsafe { read_tensor(p) }.map_err(|ty| crate::error::Error::Unsupported(format!("{} on the type {}", op_name(t.op), type_name(ty))))
    };
    let mut src = [None; MAX_SRC];
    for (slot, &p) in src.iter_mut().zip(&t.src) {
        if !p.is_null() {
            *slot = Some(read(p)?);
        }
    }
    let dst = read(tensor)?;
    Ok(Node { op: t.op, whole: dst.ne, dst, src, params: OpParams(t.op_params), flags: t.flags, name: name(t), first: [0; 4] })
}

fn name(t: &sys::ggml_tensor) -> String {
    let bytes: Vec<u8> = t.name.iter().take_while(|&&c| c != 0).map(|&c| c as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// ggml's name of a type.
pub fn type_name(ty: sys::ggml_type) -> &'static str {
    if ty >= sys::GGML_TYPE_COUNT {
        return "unknown";
    }
    // SAFETY: `ty` is below the count, so ggml returns a static string, or null for a removed type.
    let name = unsafe { sys::ggml_type_name(ty) };
    if name.is_null() {
        return "removed";
    }
    // SAFETY: a static C string.
    unsafe { std::ffi::CStr::from_ptr(name) }.to_str().unwrap_or("unknown")
}
