//! The buffer type: one for each device.

use std::ffi::c_char;

use super::buffer;
use super::device::DeviceContext;
use super::guard::guard;
use crate::ggml::sys;

pub(super) fn interface() -> sys::ggml_backend_buffer_type {
    sys::ggml_backend_buffer_type {
        iface: sys::ggml_backend_buffer_type_i {
            get_name: Some(get_name),
            alloc_buffer: Some(alloc_buffer),
            alloc_buffer_n: None,
            get_alignment: Some(get_alignment),
            get_max_size: Some(get_max_size),
            get_alloc_size: Some(get_alloc_size),
            get_alloc_size_n: None,
            is_host: Some(is_host),
        },
        device: std::ptr::null_mut(),
        context: std::ptr::null_mut(),
    }
}

unsafe extern "C" fn get_name(buft: sys::ggml_backend_buffer_type_t) -> *const c_char {
    DeviceContext::of_buffer_type(buft).buffer_type_name()
}

/// NULL if there is no memory; a line says why.
unsafe extern "C" fn alloc_buffer(buft: sys::ggml_backend_buffer_type_t, size: usize) -> sys::ggml_backend_buffer_t {
    let what = format!("allocation of {size} bytes");
    guard(&what, std::ptr::null_mut(), || buffer::allocate(buft, &DeviceContext::of_buffer_type(buft).shared()?, size))
}

unsafe extern "C" fn get_alignment(buft: sys::ggml_backend_buffer_type_t) -> usize {
    DeviceContext::of_buffer_type(buft).caps().offset_alignment as usize
}

unsafe extern "C" fn get_max_size(buft: sys::ggml_backend_buffer_type_t) -> usize {
    (DeviceContext::of_buffer_type(buft).caps().max_buffer & !15) as usize
}

/// A tensor needs its bytes and no more: scratch memory of kernels is the stream's own.
unsafe extern "C" fn get_alloc_size(_buft: sys::ggml_backend_buffer_type_t, tensor: *const sys::ggml_tensor) -> usize {
    // SAFETY: ggml passes a live tensor.
    unsafe { sys::ggml_nbytes(tensor) }
}

unsafe extern "C" fn is_host(_buft: sys::ggml_backend_buffer_type_t) -> bool {
    false
}
