//! Buffers: byte-exact access for the host.

use std::ffi::c_void;
use std::sync::Arc;

use anyhow::{Context, Result};

use super::guard::guard;
use crate::exec::{Region, Shared, memory, transfer};
use crate::ggml::sys;

/// Allocates a buffer for ggml.
pub(super) fn allocate(buft: sys::ggml_backend_buffer_type_t, shared: &Arc<Shared>, size: usize) -> Result<sys::ggml_backend_buffer_t> {
    let region = Region::new(shared, "tensors", size as u64)?;
    let iface = sys::ggml_backend_buffer_i {
        free_buffer: Some(free_buffer),
        get_base: Some(get_base),
        init_tensor: None,
        memset_tensor: Some(memset_tensor),
        set_tensor: Some(set_tensor),
        get_tensor: Some(get_tensor),
        set_tensor_2d: Some(set_tensor_2d),
        get_tensor_2d: Some(get_tensor_2d),
        cpy_tensor: Some(cpy_tensor),
        clear: Some(clear),
        reset: None,
    };
    let context = Box::into_raw(Box::new(region));
    // SAFETY: ggml keeps the interface and hands the context back to it; `free_buffer` takes the box back.
    let buffer = unsafe { sys::ggml_backend_buffer_init(buft, iface, context.cast(), size) };
    if buffer.is_null() {
        // SAFETY: nobody else has the box.
        let region = unsafe { Box::from_raw(context) };
        region.free();
        anyhow::bail!("ggml_backend_buffer_init gave no buffer");
    }
    Ok(buffer)
}

/// The region behind one of our own buffers.
fn region<'a>(buffer: sys::ggml_backend_buffer_t) -> &'a Arc<Region> {
    // SAFETY: only buffers that `allocate` made carry these functions, and their context is its box.
    unsafe { &*(*buffer).context.cast::<Arc<Region>>() }
}

/// Region and offset of a byte of a tensor. The tensor's data is an address that names both.
fn place(tensor: *const sys::ggml_tensor, offset: usize) -> Result<(Arc<Region>, u64)> {
    // SAFETY: ggml passes a live tensor.
    let address = unsafe { (*tensor).data } as u64;
    let region = memory::find(address).context("the tensor lies in no buffer of this backend")?;
    let at = address - region.base() + offset as u64;
    Ok((region, at))
}

/// [`place`], and an error if `size` bytes from there are not all in the buffer.
fn range(tensor: *const sys::ggml_tensor, offset: usize, size: usize) -> Result<(Arc<Region>, u64)> {
    let (region, at) = place(tensor, offset)?;
    let end = at + size as u64;
    anyhow::ensure!(end <= region.buffer().size(), "{size} bytes at {at} end behind the buffer (its size is {})", region.buffer().size());
    Ok((region, at))
}

pub(super) fn set(tensor: *const sys::ggml_tensor, data: *const c_void, offset: usize, size: usize) -> Result<()> {
    if size == 0 {
        return Ok(());
    }
    let (region, at) = range(tensor, offset, size)?;
    // SAFETY: ggml passes `size` readable bytes.
    transfer::write(&region, at, unsafe { std::slice::from_raw_parts(data.cast(), size) })
}

/// [`set`] of `copies` pieces of `size` bytes, which lie a stride apart in the tensor and another one in `data`.
pub(super) fn set_2d(
    tensor: *const sys::ggml_tensor,
    data: *const c_void,
    offset: usize,
    size: usize,
    copies: usize,
    stride_tensor: usize,
    stride_data: usize,
) -> Result<()> {
    for i in 0..copies {
        set(tensor, data.wrapping_byte_add(i * stride_data), offset + i * stride_tensor, size)?;
    }
    Ok(())
}

fn get(tensor: *const sys::ggml_tensor, data: *mut c_void, offset: usize, size: usize) -> Result<()> {
    if size == 0 {
        return Ok(());
    }
    let (region, at) = range(tensor, offset, size)?;
    // SAFETY: ggml passes `size` writable bytes.
    transfer::read(&region, at, unsafe { std::slice::from_raw_parts_mut(data.cast(), size) })
}

/// Queues a read for a stream; gives it with the place for the bytes.
pub(super) fn get_later(tensor: *const sys::ggml_tensor, offset: usize, size: usize) -> Result<transfer::Read> {
    let (region, at) = range(tensor, offset, size)?;
    transfer::begin_read(&region, at, size as u64)
}

unsafe extern "C" fn free_buffer(buffer: sys::ggml_backend_buffer_t) {
    guard("free of a buffer", (), || {
        // SAFETY: the box of `allocate`; ggml frees a buffer once.
        let region = unsafe { Box::from_raw((*buffer).context.cast::<Arc<Region>>()) };
        region.free();
        Ok(())
    });
}

unsafe extern "C" fn get_base(buffer: sys::ggml_backend_buffer_t) -> *mut c_void {
    region(buffer).base() as *mut c_void
}

unsafe extern "C" fn memset_tensor(
    _buffer: sys::ggml_backend_buffer_t,
    tensor: *mut sys::ggml_tensor,
    value: u8,
    offset: usize,
    size: usize,
) {
    guard("memset of a tensor", (), || {
        let (region, at) = range(tensor, offset, size)?;
        transfer::fill(&region, value, at, size as u64)
    });
}

unsafe extern "C" fn set_tensor(
    _buffer: sys::ggml_backend_buffer_t,
    tensor: *mut sys::ggml_tensor,
    data: *const c_void,
    offset: usize,
    size: usize,
) {
    guard("write to a tensor", (), || set(tensor, data, offset, size));
}

unsafe extern "C" fn get_tensor(
    _buffer: sys::ggml_backend_buffer_t,
    tensor: *const sys::ggml_tensor,
    data: *mut c_void,
    offset: usize,
    size: usize,
) {
    guard("read of a tensor", (), || get(tensor, data, offset, size));
}

unsafe extern "C" fn set_tensor_2d(
    _buffer: sys::ggml_backend_buffer_t,
    tensor: *mut sys::ggml_tensor,
    data: *const c_void,
    offset: usize,
    size: usize,
    copies: usize,
    stride_tensor: usize,
    stride_data: usize,
) {
    guard("2-D write to a tensor", (), || set_2d(tensor, data, offset, size, copies, stride_tensor, stride_data));
}

unsafe extern "C" fn get_tensor_2d(
    _buffer: sys::ggml_backend_buffer_t,
    tensor: *const sys::ggml_tensor,
    data: *mut c_void,
    offset: usize,
    size: usize,
    copies: usize,
    stride_tensor: usize,
    stride_data: usize,
) {
    guard("2-D read of a tensor", (), || {
        // One wait for all: the rows with what lies between them, if that is not much more.
        let span = stride_tensor * copies.saturating_sub(1) + size;
        if copies > 1 && span <= 8 * size * copies && stride_tensor >= size {
            let mut bytes = vec![0_u8; span];
            get(tensor, bytes.as_mut_ptr().cast(), offset, span)?;
            for (i, row) in bytes.chunks(stride_tensor.max(1)).take(copies).enumerate() {
                // SAFETY: ggml passes `copies` rows of `size` writable bytes, `stride_data` apart.
                unsafe { std::ptr::copy_nonoverlapping(row.as_ptr(), data.cast::<u8>().add(i * stride_data), size) };
            }
            return Ok(());
        }
        for i in 0..copies {
            get(tensor, data.wrapping_byte_add(i * stride_data), offset + i * stride_tensor, size)?;
        }
        Ok(())
    });
}

/// Copies a tensor within a device by a copy of buffers; false if that cannot be done, and ggml goes through the host.
pub(super) fn copy(src: *const sys::ggml_tensor, dst: *const sys::ggml_tensor) -> Result<bool> {
    // SAFETY: ggml passes live tensors.
    let (size, from) = unsafe { (sys::ggml_nbytes(src), (*src).data as u64) };
    let Some(source) = memory::find(from) else { return Ok(false) };
    let (target, to) = range(dst, 0, size)?;
    let at = from - source.base();
    let whole_words = at % 4 == 0 && to % 4 == 0 && size % 4 == 0;
    let same = Arc::ptr_eq(&source, &target);
    if !Arc::ptr_eq(source.shared(), target.shared()) || !whole_words || same && at.abs_diff(to) < size as u64 {
        return Ok(false);
    }
    source.buffer().copy_to(at, target.buffer(), to, size as u64)?;
    Ok(true)
}

/// [`copy`], where the target may be anybody's.
pub(super) fn copy_if_ours(src: *const sys::ggml_tensor, dst: *const sys::ggml_tensor) -> Result<bool> {
    // SAFETY: ggml passes a live tensor.
    let target = unsafe { (*dst).data } as u64;
    if memory::find(target).is_some() { copy(src, dst) } else { Ok(false) }
}

unsafe extern "C" fn cpy_tensor(_buffer: sys::ggml_backend_buffer_t, src: *const sys::ggml_tensor, dst: *mut sys::ggml_tensor) -> bool {
    guard("copy of a tensor", false, || copy(src, dst))
}

unsafe extern "C" fn clear(buffer: sys::ggml_backend_buffer_t, value: u8) {
    guard("clear of a buffer", (), || {
        let region = region(buffer);
        transfer::fill(region, value, 0, region.buffer().size())
    });
}
