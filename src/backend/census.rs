//! Counts graph nodes by where they run: on our devices, or on ggml's CPU backend. For programs that promise a whole model on the
//! device; a host that does not ask for it pays nothing.

use std::ffi::c_char;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::exec::stats;
use crate::ggml::graph::Graph;
use crate::ggml::sys;
use crate::ops::is_no_op;

type Init = unsafe extern "C" fn(sys::ggml_backend_dev_t, *const c_char) -> sys::ggml_backend_t;
type Compute = unsafe extern "C" fn(sys::ggml_backend_t, *mut sys::ggml_cgraph) -> sys::ggml_status;

static CPU_INIT: OnceLock<Init> = OnceLock::new();
static CPU_COMPUTE: OnceLock<Compute> = OnceLock::new();
static ELSEWHERE: AtomicU64 = AtomicU64::new(0);

/// Node counts since [`Census::take`].
#[derive(Debug)]
pub struct Census {
    before: (u64, u64),
}

impl Census {
    /// Begins to count. Backends that were made before on the CPU are not counted.
    #[inline]
    #[must_use]
    pub fn take() -> Self {
        // SAFETY: ggml's own registry; the device lives as long as the process.
        watch(unsafe { sys::ggml_backend_dev_by_type(sys::GGML_BACKEND_DEVICE_TYPE_CPU) });
        Self { before: (stats::nodes(), elsewhere()) }
    }

    /// Nodes that our devices computed.
    #[must_use]
    pub fn on_device(&self) -> u64 {
        stats::nodes() - self.before.0
    }

    /// Nodes that ggml's CPU backend computed.
    #[must_use]
    pub fn elsewhere(&self) -> u64 {
        elsewhere() - self.before.1
    }
}

fn elsewhere() -> u64 {
    ELSEWHERE.load(Ordering::Relaxed)
}

/// Puts a counter before the function with which this device's backends compute.
fn watch(device: sys::ggml_backend_dev_t) {
    if device.is_null() {
        return;
    }
    // SAFETY: a live device, whose interface ggml keeps in writable memory; it is changed once, before backends are made on it.
    let interface = unsafe { &mut (*device).iface };
    if let Some(original) = interface.init_backend
        && CPU_INIT.set(original).is_ok()
    {
        interface.init_backend = Some(init);
    }
}

unsafe extern "C" fn init(device: sys::ggml_backend_dev_t, params: *const c_char) -> sys::ggml_backend_t {
    let Some(original) = CPU_INIT.get() else { return std::ptr::null_mut() };
    // SAFETY: ggml's arguments, passed on.
    let backend = unsafe { original(device, params) };
    // SAFETY: a fresh backend that nobody else uses yet.
    if let Some(interface) = unsafe { backend.as_mut() }.map(|b| &mut b.iface)
        && let Some(compute_of) = interface.graph_compute
    {
        let _ = CPU_COMPUTE.set(compute_of);
        interface.graph_compute = Some(compute);
    }
    backend
}

unsafe extern "C" fn compute(backend: sys::ggml_backend_t, graph: *mut sys::ggml_cgraph) -> sys::ggml_status {
    // SAFETY: ggml passes a live graph of the ggml that `abi::check` has passed.
    if let Some(graph) = unsafe { Graph::new(graph) } {
        let nodes = (0..graph.len()).filter(|&i| !is_no_op(graph.op(i)) && graph.computes(i)).count();
        ELSEWHERE.fetch_add(nodes as u64, Ordering::Relaxed);
    }
    match CPU_COMPUTE.get() {
        // SAFETY: ggml's arguments, passed on.
        Some(original) => unsafe { original(backend, graph) },
        None => sys::GGML_STATUS_FAILED,
    }
}
