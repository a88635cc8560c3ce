//! Devices: what ggml may ask before there is a backend, and the GPU behind them, opened when first needed.

use std::ffi::{CString, c_char};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;

use super::guard::guard;
use super::{buffer_type, event, stream};
use crate::exec::{Shared, memory};
use crate::ggml::{sys, tensor};
use crate::gpu::Caps;
use crate::gpu::caps::AdapterKind;
use crate::gpu::device::Adapter;
use crate::ops;

/// What a `ggml_backend_device` of ours points to. Lives as long as the process.
pub(super) struct DeviceContext {
    adapter: &'static Adapter,
    name: CString,
    description: CString,
    shared: Mutex<Option<Arc<Shared>>>,
    buffer_type: sys::ggml_backend_buffer_type,
    buffer_type_name: CString,
    /// The device whose memory this accelerator offers to the host's own layers; null for a device of its own.
    of: sys::ggml_backend_dev_t,
}

impl DeviceContext {
    pub(super) fn new(adapter: &'static Adapter, index: usize) -> Self {
        let c = |s: String| CString::new(s.replace('\0', " ")).unwrap_or_default();
        let caps = adapter.caps();
        let name = format!("{}{index}", super::reg::NAME.to_string_lossy());
        Self {
            adapter,
            description: c(format!("{} ({})", caps.name, caps.backend)),
            shared: Mutex::new(None),
            buffer_type: buffer_type::interface(),
            buffer_type_name: c(name.clone()),
            name: c(name),
            of: std::ptr::null_mut(),
        }
    }

    /// An accelerator over the memory of a device: llama.cpp puts the tensors of layers that it keeps on the host there, such as the
    /// embeddings, and the scheduler runs what uses them on the device.
    pub(super) fn accelerator(device: sys::ggml_backend_dev_t) -> Self {
        let main = Self::of(device);
        let name = CString::new(format!("{}-embeddings", main.name.to_string_lossy())).unwrap_or_default();
        Self { name, of: device, ..Self::new(main.adapter, 0) }
    }

    /// The device that does the work.
    pub(super) fn main<'a>(device: sys::ggml_backend_dev_t) -> (&'a Self, sys::ggml_backend_dev_t) {
        let context = Self::of(device);
        if context.of.is_null() { (context, device) } else { (Self::of(context.of), context.of) }
    }

    /// The context of a device that `interface` made.
    pub(super) fn of<'a>(device: *const sys::ggml_backend_device) -> &'a mut Self {
        // SAFETY: every device that carries our functions was made by `interface`, whose context is a leaked `DeviceContext`.
        // It is changed only by `set_device`, before the device is handed out.
        unsafe { &mut *(*device).context.cast::<Self>() }
    }

    /// Completes what points back to the device; called once, when it has its final address.
    pub(super) fn set_device(&mut self, device: *mut sys::ggml_backend_device) {
        self.buffer_type.device = device;
        self.buffer_type.context = std::ptr::from_mut(self).cast();
    }

    /// The context behind one of our buffer types.
    pub(super) fn of_buffer_type<'a>(buft: sys::ggml_backend_buffer_type_t) -> &'a Self {
        // SAFETY: every buffer type that carries our functions lies in a `DeviceContext` that its context points to.
        unsafe { &*(*buft).context.cast::<Self>() }
    }

    pub(super) fn caps(&self) -> &Caps {
        self.adapter.caps()
    }

    pub(super) fn buffer_type_name(&self) -> *const c_char {
        self.buffer_type_name.as_ptr()
    }

    /// The open device; opens it, or a new one if it was lost.
    pub(super) fn shared(&self) -> Result<Arc<Shared>> {
        let mut slot = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shared) = slot.as_ref().filter(|s| !s.device().lost()) {
            return Ok(Arc::clone(shared));
        }
        let shared = Shared::open(self.adapter)?;
        *slot = Some(Arc::clone(&shared));
        Ok(shared)
    }

    /// Bytes in use, if the device is open.
    fn in_use(&self) -> u64 {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map_or(0, |s| s.in_use())
    }
}

/// Makes the open device behind one of ours lost, as a driver reset would. For tests. False if none is open.
pub(super) fn lose(device: sys::ggml_backend_dev_t) -> bool {
    let context = DeviceContext::main(device).0;
    let shared = context.shared.lock().unwrap_or_else(PoisonError::into_inner).clone();
    shared.is_some_and(|s| {
        s.device().lose("a test asked for it");
        true
    })
}

/// A device for ggml around a context, which is leaked.
pub(super) fn interface(reg: sys::ggml_backend_reg_t, context: DeviceContext) -> sys::ggml_backend_device {
    sys::ggml_backend_device {
        iface: sys::ggml_backend_device_i {
            get_name: Some(get_name),
            get_description: Some(get_description),
            get_memory: Some(get_memory),
            get_type: Some(get_type),
            get_props: Some(get_props),
            init_backend: Some(init_backend),
            get_buffer_type: Some(get_buffer_type),
            get_host_buffer_type: None,
            buffer_from_host_ptr: None,
            supports_op: Some(supports_op),
            supports_buft: Some(supports_buft),
            offload_op: Some(offload_op),
            event_new: Some(event::new),
            event_free: Some(event::free),
            event_synchronize: Some(event::synchronize),
        },
        reg,
        context: Box::into_raw(Box::new(context)).cast(),
    }
}

unsafe extern "C" fn get_name(device: sys::ggml_backend_dev_t) -> *const c_char {
    DeviceContext::of(device).name.as_ptr()
}

unsafe extern "C" fn get_description(device: sys::ggml_backend_dev_t) -> *const c_char {
    DeviceContext::of(device).description.as_ptr()
}

/// Free and total bytes. WebGPU tells only the heap's size; what this process uses is subtracted.
fn memory_of(context: &DeviceContext) -> (usize, usize) {
    let total = context.caps().memory;
    (total.saturating_sub(context.in_use()) as usize, total as usize)
}

unsafe extern "C" fn get_memory(device: sys::ggml_backend_dev_t, free: *mut usize, total: *mut usize) {
    let (f, t) = memory_of(DeviceContext::main(device).0);
    // SAFETY: ggml passes two places for the result.
    unsafe {
        *free = f;
        *total = t;
    }
}

fn type_of(context: &DeviceContext) -> sys::ggml_backend_dev_type {
    match context.caps().kind {
        _ if !context.of.is_null() => sys::GGML_BACKEND_DEVICE_TYPE_ACCEL,
        AdapterKind::Integrated => sys::GGML_BACKEND_DEVICE_TYPE_IGPU,
        // A software adapter is listed only on request, to be used like a GPU.
        _ => sys::GGML_BACKEND_DEVICE_TYPE_GPU,
    }
}

unsafe extern "C" fn get_type(device: sys::ggml_backend_dev_t) -> sys::ggml_backend_dev_type {
    type_of(DeviceContext::of(device))
}

unsafe extern "C" fn get_props(device: sys::ggml_backend_dev_t, props: *mut sys::ggml_backend_dev_props) {
    let context = DeviceContext::of(device);
    let (memory_free, memory_total) = memory_of(DeviceContext::main(device).0);
    // SAFETY: ggml passes a place for the result.
    unsafe {
        *props = sys::ggml_backend_dev_props {
            name: context.name.as_ptr(),
            description: context.description.as_ptr(),
            memory_free,
            memory_total,
            type_: type_of(context),
            device_id: std::ptr::null(),
            caps: sys::ggml_backend_dev_caps {
                async_: true,
                host_buffer: false,
                buffer_from_host_ptr: false,
                events: true,
                mmap_support: true,
            },
        };
    }
}

/// A backend on a device; null on failure.
pub(super) fn init(device: sys::ggml_backend_dev_t) -> sys::ggml_backend_t {
    let context = DeviceContext::main(device).0;
    let what = format!("init of {}", context.name.to_string_lossy());
    guard(&what, std::ptr::null_mut(), || Ok(stream::interface(device, &context.shared()?)))
}

unsafe extern "C" fn init_backend(device: sys::ggml_backend_dev_t, _params: *const c_char) -> sys::ggml_backend_t {
    init(device)
}

unsafe extern "C" fn get_buffer_type(device: sys::ggml_backend_dev_t) -> sys::ggml_backend_buffer_type_t {
    (&raw const DeviceContext::main(device).0.buffer_type).cast_mut()
}

unsafe extern "C" fn supports_op(device: sys::ggml_backend_dev_t, op: *const sys::ggml_tensor) -> bool {
    guard("supports_op", false, || {
        let context = DeviceContext::main(device).0;
        // SAFETY: ggml passes a live node with live sources.
        let answer = unsafe { tensor::read_node(op) }.and_then(|node| {
            // What would be written must be ours. Sources may be anywhere: the scheduler copies them.
            if !ops::is_no_op(node.op) && node.dst.data != 0 && !owns(context, node.dst.data) {
                crate::unsupported!("its result lies in a buffer of another backend");
            }
            ops::supports(&node, context.caps())
        });
        if let Err(e) = &answer {
            // SAFETY: as above.
            crate::log!(Debug, "refused {}: {e:#}", unsafe { tensor::op_name((*op).op) });
        }
        Ok(answer.is_ok())
    })
}

/// Whether an address lies in a buffer of this device.
fn owns(context: &DeviceContext, address: u64) -> bool {
    memory::find(address).is_some_and(|r| context.same_device(r.shared()))
}

impl DeviceContext {
    fn same_device(&self, shared: &Arc<Shared>) -> bool {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).as_ref().is_some_and(|s| Arc::ptr_eq(s, shared))
    }
}

unsafe extern "C" fn supports_buft(device: sys::ggml_backend_dev_t, buft: sys::ggml_backend_buffer_type_t) -> bool {
    std::ptr::eq(buft, &raw const DeviceContext::main(device).0.buffer_type)
}

/// Whether it pays to copy weights here for one op: products over many rows, on real GPUs.
unsafe extern "C" fn offload_op(device: sys::ggml_backend_dev_t, op: *const sys::ggml_tensor) -> bool {
    // As other GPU backends of ggml: below this many rows the copy costs more than it saves.
    const ROWS: i64 = 32;
    if DeviceContext::of(device).caps().kind == AdapterKind::Software {
        return false;
    }
    // SAFETY: ggml passes a live node.
    let t = unsafe { &*op };
    match t.op {
        sys::GGML_OP_GET_ROWS => false,
        sys::GGML_OP_MUL_MAT_ID => t.ne[2] >= ROWS,
        _ => t.ne[1] >= ROWS,
    }
}
