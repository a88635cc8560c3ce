//! Backends (streams): what runs graphs.

use std::ffi::{c_char, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::guard::{guard, status};
use super::{buffer, event};
use crate::env;
use crate::exec::stream::{PendingRead, Stream};
use crate::exec::{Shared, order};
use crate::ggml::graph::{Graph, GraphMut};
use crate::ggml::sys;

/// Identity of our backends, made at random once.
static GUID: [u8; 16] = [0x9b, 0x41, 0x5c, 0x0e, 0x77, 0xd2, 0x4a, 0x1f, 0xb6, 0x3d, 0x52, 0xe8, 0x0c, 0x91, 0xf4, 0x6a];

struct Context {
    // ggml uses a backend from one thread at a time; the lock makes a mistake there harmless.
    stream: Mutex<Stream>,
    name: *const c_char,
}

/// A backend on an open device.
pub(super) fn interface(device: sys::ggml_backend_dev_t, shared: &Arc<Shared>) -> sys::ggml_backend_t {
    // SAFETY: a device of ours; its name lives as long as the process.
    let name = unsafe { sys::ggml_backend_dev_name(device) };
    let context = Box::new(Context { stream: Mutex::new(Stream::new(shared)), name });
    Box::into_raw(Box::new(sys::ggml_backend {
        guid: (&raw const GUID).cast_mut(),
        iface: sys::ggml_backend_i {
            get_name: Some(get_name),
            free: Some(free),
            set_tensor_async: Some(set_tensor_async),
            get_tensor_async: Some(get_tensor_async),
            set_tensor_2d_async: Some(set_tensor_2d_async),
            get_tensor_2d_async: Some(get_tensor_2d_async),
            cpy_tensor_async: Some(cpy_tensor_async),
            synchronize: Some(synchronize),
            graph_plan_create: None,
            graph_plan_free: None,
            graph_plan_update: None,
            graph_plan_compute: None,
            graph_compute: Some(graph_compute),
            event_record: Some(event::record),
            event_wait: Some(event::wait),
            graph_optimize: Some(graph_optimize),
        },
        device,
        context: Box::into_raw(context).cast(),
    }))
}

fn context<'a>(backend: sys::ggml_backend_t) -> &'a Context {
    // SAFETY: only backends that `interface` made carry these functions; `free` is their last call.
    unsafe { &*(*backend).context.cast::<Context>() }
}

fn stream<'a>(backend: sys::ggml_backend_t) -> MutexGuard<'a, Stream> {
    context(backend).stream.lock().unwrap_or_else(PoisonError::into_inner)
}

unsafe extern "C" fn get_name(backend: sys::ggml_backend_t) -> *const c_char {
    context(backend).name
}

unsafe extern "C" fn free(backend: sys::ggml_backend_t) {
    guard("free of a backend", (), || {
        // SAFETY: both boxes are from `interface`; ggml frees a backend once.
        unsafe {
            let backend = Box::from_raw(backend);
            drop(Box::from_raw(backend.context.cast::<Context>()));
        }
        Ok(())
    });
}

/// The queue keeps the order of writes and work, and copies the bytes before it returns: as asynchronous as it can be.
unsafe extern "C" fn set_tensor_async(
    _backend: sys::ggml_backend_t,
    tensor: *mut sys::ggml_tensor,
    data: *const c_void,
    offset: usize,
    size: usize,
) {
    guard("asynchronous write to a tensor", (), || buffer::set(tensor, data, offset, size));
}

unsafe extern "C" fn set_tensor_2d_async(
    _backend: sys::ggml_backend_t,
    tensor: *mut sys::ggml_tensor,
    data: *const c_void,
    offset: usize,
    size: usize,
    copies: usize,
    stride_tensor: usize,
    stride_data: usize,
) {
    guard("asynchronous 2-D write to a tensor", (), || buffer::set_2d(tensor, data, offset, size, copies, stride_tensor, stride_data));
}

/// A place that the host promised to keep until it synchronises.
struct HostBytes(*mut u8, usize);
// SAFETY: ggml's contract for asynchronous reads: the memory stays until the next synchronisation.
unsafe impl Send for HostBytes {}

fn read_later(
    backend: sys::ggml_backend_t,
    tensor: *const sys::ggml_tensor,
    data: *mut c_void,
    offset: usize,
    size: usize,
) -> anyhow::Result<()> {
    if size == 0 {
        return Ok(());
    }
    let read = buffer::get_later(tensor, offset, size)?;
    let place = HostBytes(data.cast(), size);
    let take = move |read: &mut crate::exec::transfer::Read| {
        let place = &place;
        // SAFETY: see `HostBytes`.
        read.finish(unsafe { std::slice::from_raw_parts_mut(place.0, place.1) })
    };
    stream(backend).read_later(PendingRead { read, take: Box::new(take) });
    Ok(())
}

unsafe extern "C" fn get_tensor_async(
    backend: sys::ggml_backend_t,
    tensor: *const sys::ggml_tensor,
    data: *mut c_void,
    offset: usize,
    size: usize,
) {
    guard("asynchronous read of a tensor", (), || read_later(backend, tensor, data, offset, size));
}

unsafe extern "C" fn get_tensor_2d_async(
    backend: sys::ggml_backend_t,
    tensor: *const sys::ggml_tensor,
    data: *mut c_void,
    offset: usize,
    size: usize,
    copies: usize,
    stride_tensor: usize,
    stride_data: usize,
) {
    guard("asynchronous 2-D read of a tensor", (), || {
        for i in 0..copies {
            read_later(backend, tensor, data.wrapping_byte_add(i * stride_data), offset + i * stride_tensor, size)?;
        }
        Ok(())
    });
}

/// Within a device: a copy of buffers in queue order. False between devices; ggml then goes through the host.
unsafe extern "C" fn cpy_tensor_async(
    _from: sys::ggml_backend_t,
    _to: sys::ggml_backend_t,
    src: *const sys::ggml_tensor,
    dst: *mut sys::ggml_tensor,
) -> bool {
    guard("asynchronous copy of a tensor", false, || buffer::copy_if_ours(src, dst))
}

unsafe extern "C" fn synchronize(backend: sys::ggml_backend_t) {
    guard("synchronize", (), || stream(backend).synchronize());
}

unsafe extern "C" fn graph_optimize(
    _backend: sys::ggml_backend_t,
    graph: *mut sys::ggml_cgraph,
    params: *mut sys::ggml_backend_graph_optimize_params,
) {
    guard("graph_optimize", (), || {
        // SAFETY: ggml passes a live graph that it does not use meanwhile.
        if let Some(mut graph) = unsafe { GraphMut::new(graph, params) }
            && !env::settings().disabled("fusion")
        {
            order::optimize(&mut graph);
        }
        Ok(())
    });
}

unsafe extern "C" fn graph_compute(backend: sys::ggml_backend_t, graph: *mut sys::ggml_cgraph) -> sys::ggml_status {
    status("graph_compute", || {
        // SAFETY: ggml passes a live graph; `abi::check` has passed, or there would be no backend.
        match unsafe { Graph::new(graph) } {
            Some(graph) => stream(backend).compute(graph),
            None => Ok(()),
        }
    })
}
