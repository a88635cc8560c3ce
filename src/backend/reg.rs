//! The registry entry, its devices, and the functions that a loader looks for.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;

use super::device::DeviceContext;
use super::guard::guard;
use super::{abi, device};
use crate::env;
use crate::ggml::sys;
use crate::gpu::caps::AdapterKind;
use crate::gpu::device::{Adapter, adapters, words_of_dawn};

/// The name of the registry entry and the beginning of each device's name.
pub const NAME: &CStr = c"WebGPU";

struct Registry {
    reg: sys::ggml_backend_reg,
    devices: Vec<sys::ggml_backend_device>,
}

// SAFETY: written once before it is shared; ggml only reads it.
unsafe impl Send for Registry {}
// SAFETY: as above.
unsafe impl Sync for Registry {}

/// Adapters that are listed as devices, in order.
fn listed() -> Vec<&'static Adapter> {
    let software = env::settings().software;
    let mut left_out = 0;
    let list: Vec<_> = adapters()
        .iter()
        .filter(|a| {
            if let Some(why) = &a.caps().unfit {
                crate::log!(Warn, "{} cannot serve: {why}", a.caps().name);
                return false;
            }
            let skip = a.caps().kind == AdapterKind::Software && !software;
            left_out += usize::from(skip);
            !skip
        })
        .collect();
    if list.is_empty() {
        let why = match left_out {
            0 => format!(
                "Dawn accepts no adapter: is a Vulkan driver installed? (`vulkaninfo --summary` lists them). {}",
                words_of_dawn().join("; ")
            ),
            n => format!("only {n} software adapter(s), which would be slower than the CPU backend; GGML_WEBGPU_SOFTWARE=1 lists them"),
        };
        crate::log!(Warn, "0 devices: {why}");
    }
    for (i, a) in list.iter().enumerate() {
        let c = a.caps();
        crate::log!(
            Info,
            "WebGPU{i}: vendor {:#06x} ({}), architecture {}, device {:#06x}, {} | {} | {}",
            c.vendor_id,
            c.vendor,
            if c.architecture.is_empty() { "unknown" } else { &c.architecture },
            c.device_id,
            c.name,
            c.driver,
            c.backend
        );
    }
    list
}

/// The one registry entry of the process; null if the ggml in it is not one that this module fits.
pub fn registry() -> sys::ggml_backend_reg_t {
    static REGISTRY: OnceLock<Option<&'static Registry>> = OnceLock::new();
    let registry = REGISTRY.get_or_init(|| {
        if let Err(e) = abi::check() {
            crate::log!(Error, "this module does not fit the ggml that loads it: {e:#}");
            return None;
        }
        let registry = Box::leak(Box::new(Registry {
            reg: sys::ggml_backend_reg {
                api_version: sys::GGML_BACKEND_API_VERSION as c_int,
                iface: sys::ggml_backend_reg_i {
                    get_name: Some(get_name),
                    get_device_count: Some(get_device_count),
                    get_device: Some(get_device),
                    get_proc_address: Some(get_proc_address),
                },
                context: std::ptr::null_mut(),
            },
            devices: Vec::new(),
        }));
        let reg: sys::ggml_backend_reg_t = &raw mut registry.reg;
        registry.devices = listed().into_iter().enumerate().map(|(i, a)| device::interface(reg, DeviceContext::new(a, i))).collect();
        // Room for the accelerator: devices must not move once they have been named.
        registry.devices.reserve_exact(1);
        for d in &mut registry.devices {
            DeviceContext::of(d).set_device(d);
        }
        if let (true, Some(first)) = (env::settings().embeddings, registry.devices.first_mut()) {
            let accelerator = DeviceContext::accelerator(first);
            registry.devices.push(device::interface(reg, accelerator));
        }
        registry.reg.context = std::ptr::from_ref(&*registry).cast_mut().cast();
        Some(&*registry)
    });
    registry.map_or(std::ptr::null_mut(), |r| (&raw const r.reg).cast_mut())
}

fn of<'a>(reg: sys::ggml_backend_reg_t) -> Option<&'a Registry> {
    // SAFETY: ggml passes the entry that `registry` gave it; its context is the leaked registry.
    unsafe { reg.as_ref() }.and_then(|r| unsafe { r.context.cast::<Registry>().as_ref() })
}

unsafe extern "C" fn get_name(_reg: sys::ggml_backend_reg_t) -> *const c_char {
    NAME.as_ptr()
}

unsafe extern "C" fn get_device_count(reg: sys::ggml_backend_reg_t) -> usize {
    of(reg).map_or(0, |r| r.devices.len())
}

unsafe extern "C" fn get_device(reg: sys::ggml_backend_reg_t, index: usize) -> sys::ggml_backend_dev_t {
    of(reg).and_then(|r| r.devices.get(index)).map_or(std::ptr::null_mut(), |d| std::ptr::from_ref(d).cast_mut())
}

/// No function beyond the interface is offered: NULL for every name, as ggml expects.
unsafe extern "C" fn get_proc_address(_reg: sys::ggml_backend_reg_t, _name: *const c_char) -> *mut c_void {
    std::ptr::null_mut()
}

/// Makes the first device lost. For tests. False if it is not open.
#[doc(hidden)]
pub fn lose_first_device() -> bool {
    guard("lose_first_device", false, || {
        Ok(of(registry()).and_then(|r| r.devices.first()).is_some_and(|d| device::lose(std::ptr::from_ref(d).cast_mut())))
    })
}

/// Adds our devices to those of the process: for programs that link this crate. Does nothing the second time.
#[inline]
pub fn register() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let reg = ggml_backend_webgpu_reg();
        if !reg.is_null() {
            // SAFETY: a registry entry that lives as long as the process.
            unsafe { sys::ggml_backend_register(reg) };
        }
    });
}

/// What ggml's loader calls after `dlopen`.
#[unsafe(no_mangle)]
pub extern "C" fn ggml_backend_init() -> sys::ggml_backend_reg_t {
    ggml_backend_webgpu_reg()
}

/// The same under the name that programs which link the backend use.
#[unsafe(no_mangle)]
pub extern "C" fn ggml_backend_webgpu_reg() -> sys::ggml_backend_reg_t {
    guard("ggml_backend_webgpu_reg", std::ptr::null_mut(), || Ok(registry()))
}

/// How well this module serves the machine: 0 where no adapter does.
#[unsafe(no_mangle)]
pub extern "C" fn ggml_backend_score() -> c_int {
    guard("ggml_backend_score", 0, || {
        let fit = adapters().iter().any(|a| a.caps().unfit.is_none());
        Ok(c_int::from(fit))
    })
}

/// A backend on the first device; null if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn ggml_backend_webgpu_init() -> sys::ggml_backend_t {
    guard("ggml_backend_webgpu_init", std::ptr::null_mut(), || {
        let Some(device) = of(registry()).and_then(|r| r.devices.first()) else {
            return Err(anyhow::anyhow!("there is no device"));
        };
        Ok(device::init(std::ptr::from_ref(device).cast_mut()))
    })
}
