//! How shaders see elements: the array type of a binding for each element type, and the defines that `common/types/` reads.

use anyhow::Result;

use crate::ggml::{Tensor, Type};
use crate::gpu::Caps;
use crate::shader::Variant;

/// Whether a binding of this type can be an array of vectors of four.
pub fn has_vectors(ty: Type, _caps: &Caps) -> bool {
    ty.is_float()
}

/// Whether an address allows vectors of four.
pub fn vector_aligned(address: u64, ty: Type) -> bool {
    address.is_multiple_of(u64::from(4 * ty.bytes()))
}

/// Whether a tensor's rows can be read as vectors of four: the type, its first address, its strides and its row length.
pub fn vector_rows(t: &Tensor, caps: &Caps) -> bool {
    let bytes = u64::from(4 * t.ty.bytes());
    has_vectors(t.ty, caps)
        && t.rows_contiguous()
        && t.ne[0].is_multiple_of(4)
        && t.data.is_multiple_of(bytes)
        && (1..4).all(|d| t.ne[d] == 1 || t.nb[d].is_multiple_of(bytes))
}

/// Whether every row begins at a multiple of 16 bytes, so that it can be read as vec4<u32>.
pub fn wide_rows(t: &Tensor) -> bool {
    t.rows_contiguous() && t.data.is_multiple_of(16) && (1..4).all(|d| t.ne[d] == 1 || t.nb[d].is_multiple_of(16))
}

/// The array's element type for a binding. Values smaller than a word that are written on devices without such a type are words
/// with atomic stores, since neighbours share them.
pub fn word(ty: Type, caps: &Caps, vector: bool, write: bool) -> &'static str {
    match ty {
        Type::F32 if vector => "vec4<f32>",
        Type::F32 => "f32",
        Type::F16 if caps.f16 && vector => "vec4<f16>",
        Type::F16 if caps.f16 => "f16",
        Type::F16 | Type::BF16 if vector => "vec2<u32>",
        Type::I32 => "i32",
        Type::F16 | Type::BF16 | Type::I16 | Type::I8 if write => "atomic<u32>",
        _ if write && ty.is_quant() => "atomic<u32>",
        _ => "u32",
    }
}

/// Defines, for each operand, `NAME` (the type's file), `NAME_WORD` and `NAME_BYTES`.
pub fn define(variant: Variant, operands: &[(&'static str, Type, &'static str)]) -> Variant {
    operands.iter().fold(variant, |v, &(name, ty, word)| {
        v.define(name, ty.name()).define(format!("{name}_WORD"), word).number(format!("{name}_BYTES"), format!("{}u", ty.bytes()))
    })
}

/// An error unless the tensor is a float of one element.
pub fn need_float(t: &Tensor) -> Result<()> {
    if !t.ty.is_float() {
        crate::unsupported!("the type {} where a float is needed", t.ty);
    }
    Ok(())
}

/// An error unless the tensor has the type.
pub fn need(t: &Tensor, ty: Type, what: &str) -> Result<()> {
    if t.ty != ty {
        crate::unsupported!("{what} of the type {} ({ty} is needed)", t.ty);
    }
    Ok(())
}

/// An error unless each row's elements follow each other.
pub fn need_rows(t: &Tensor, what: &str) -> Result<()> {
    if !t.rows_contiguous() {
        crate::unsupported!("{what} with a stride of {} bytes within a row", t.nb[0]);
    }
    Ok(())
}

/// An error unless the device has storage buffers for the operands and, where they do not fit the command, the parameters.
pub fn need_buffers(variant: &Variant, operands: u32, caps: &Caps) -> Result<()> {
    let buffers = operands + variant.clone().bound(Vec::new(), Vec::new(), caps.immediate_bytes).binding_count();
    if buffers > caps.max_storage_buffers {
        crate::unsupported!("{} needs {buffers} storage buffers (this device has {})", variant.shader(), caps.max_storage_buffers);
    }
    Ok(())
}
