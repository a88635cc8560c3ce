//! Events: a mark behind the work that a stream has submitted. All streams of a device share its queue, so one stream never
//! has to wait for another's event: what was submitted earlier runs earlier.

use std::sync::{Mutex, PoisonError};

use super::device::DeviceContext;
use super::guard::guard;
use crate::ggml::sys;
use crate::gpu::queue::Fence;

type Slot = Mutex<Option<Fence>>;

fn slot<'a>(event: sys::ggml_backend_event_t) -> &'a Slot {
    // SAFETY: made by `new`; freed only by `free`.
    unsafe { &*(*event).context.cast::<Slot>() }
}

pub(super) unsafe extern "C" fn new(device: sys::ggml_backend_dev_t) -> sys::ggml_backend_event_t {
    let slot: Box<Slot> = Box::default();
    Box::into_raw(Box::new(sys::ggml_backend_event { device, context: Box::into_raw(slot).cast() }))
}

pub(super) unsafe extern "C" fn free(_device: sys::ggml_backend_dev_t, event: sys::ggml_backend_event_t) {
    if event.is_null() {
        return;
    }
    // SAFETY: both boxes are from `new`; ggml frees an event once.
    let slot = unsafe {
        let event = Box::from_raw(event);
        Box::from_raw(event.context.cast::<Slot>())
    };
    // A fence is waited for so that Dawn forgets it.
    if let Some(fence) = slot.into_inner().unwrap_or_else(PoisonError::into_inner) {
        guard("free of an event", (), || fence.wait());
    }
}

pub(super) unsafe extern "C" fn synchronize(_device: sys::ggml_backend_dev_t, event: sys::ggml_backend_event_t) {
    guard("wait for an event", (), || {
        let fence = slot(event).lock().unwrap_or_else(PoisonError::into_inner).take();
        fence.map_or(Ok(()), |f| f.wait())
    });
}

/// Puts the mark behind everything that was submitted on the device.
pub(super) unsafe extern "C" fn record(backend: sys::ggml_backend_t, event: sys::ggml_backend_event_t) {
    guard("recording an event", (), || {
        // SAFETY: ggml passes a live backend of ours.
        let device = unsafe { (*backend).device };
        let shared = DeviceContext::main(device).0.shared()?;
        let old = slot(event).lock().unwrap_or_else(PoisonError::into_inner).replace(Fence::new(shared.device()));
        old.map_or(Ok(()), |f| f.wait())
    });
}

/// Nothing to do if the event is of the same device; otherwise the host waits.
pub(super) unsafe extern "C" fn wait(backend: sys::ggml_backend_t, event: sys::ggml_backend_event_t) {
    // SAFETY: ggml passes a live backend of ours and a live event.
    let (mine, theirs) = unsafe { ((*backend).device, (*event).device) };
    if !std::ptr::eq(mine, theirs) {
        // SAFETY: a live event.
        unsafe { sys::ggml_backend_event_synchronize(event) };
    }
}
