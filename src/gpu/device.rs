//! The instance, its adapters, and a device opened on one of them.

use std::sync::{Arc, OnceLock};

use anyhow::{Context, Result};
use cxx::UniquePtr;

use super::bridge::ffi;
use super::caps::{AdapterKind, Caps};
use crate::env::{self, Settings};
use crate::error::Error;

/// Toggles that pay in release and are left off when validation is wanted.
/// `skip_validation`: 0.7 us instead of 1.6 us to encode a dispatch on an H200 host.
const FAST: &[&str] = &["skip_validation", "disable_robustness", "disable_workgroup_init", "disable_polyfills_on_integer_div_and_mod"];

/// Off always: quantised timestamps are useless for kernels of microseconds; buffers are cleared where ggml asks for it, not
/// at their first use.
const OFF: &[&str] = &["timestamp_quantization", "lazy_clear_resource_on_first_use"];

/// A GPU (or a software renderer) that Dawn lists.
pub struct Adapter {
    instance: &'static ffi::Instance,
    /// Its place in Dawn's list.
    index: usize,
    caps: Caps,
}

/// The instance of the process. Never dropped: drivers crash when it goes while the process exits.
fn instance() -> Option<&'static ffi::Instance> {
    static INSTANCE: OnceLock<&'static UniquePtr<ffi::Instance>> = OnceLock::new();
    INSTANCE.get_or_init(|| Box::leak(Box::new(ffi::new_instance()))).as_ref()
}

/// What Dawn has said of drivers and adapters so far: why it refused one.
pub fn words_of_dawn() -> Vec<String> {
    instance().map_or_else(Vec::new, ffi::Instance::words)
}

/// All adapters: discrete before integrated, software last, each physical GPU once. Found once per process.
pub fn adapters() -> &'static [Adapter] {
    static ADAPTERS: OnceLock<Vec<Adapter>> = OnceLock::new();
    ADAPTERS.get_or_init(|| {
        let Some(instance) = instance() else { return Vec::new() };
        let dot = instance.has_byte_dot_products();
        let immediates = instance.has_immediates();
        let mut list: Vec<Adapter> = (0..instance.adapter_count())
            .filter_map(|index| {
                let adapter = instance.adapter(index);
                let caps = Caps::new(&adapter.as_ref()?.facts(), dot, immediates, env::settings());
                Some(Adapter { instance, index, caps })
            })
            .collect();
        list.sort_by_key(|a| match a.caps.kind {
            AdapterKind::Discrete => 0,
            AdapterKind::Other => 1,
            AdapterKind::Integrated => 2,
            AdapterKind::Software => 3,
        });
        // Only one backend is asked for, so equal entries are the same GPU behind two drivers: the first one serves.
        let mut seen = Vec::new();
        list.retain(|a| {
            let id = (a.caps.vendor_id, a.caps.device_id, a.caps.name.clone());
            let software = a.caps.kind == AdapterKind::Software;
            let twin = software && seen.contains(&id);
            seen.push(id);
            !twin
        });
        list
    })
}

impl Adapter {
    /// Capabilities, before a device is opened.
    pub fn caps(&self) -> &Caps {
        &self.caps
    }

    /// Opens a device with all the features and limits that [`Caps`] names.
    pub fn open(&self) -> Result<Arc<Device>> {
        Device::open(self, env::settings()).with_context(|| format!("While opening a device on {}", self.caps.name))
    }
}

/// A logical device and its queue. Shared by all that use the adapter; lost at most once.
pub struct Device {
    pub(super) inner: UniquePtr<ffi::Device>,
    caps: Caps,
}

impl Device {
    fn open(adapter: &Adapter, settings: &Settings) -> Result<Arc<Self>> {
        let caps = adapter.caps.clone();
        let names = |list: &[&str]| list.iter().map(|&s| s.to_owned()).collect();
        let options = ffi::DeviceOptions {
            label: "ggml-webgpu".to_owned(),
            enable: if settings.validation { Vec::new() } else { names(FAST) },
            disable: names(OFF),
            f16: caps.f16,
            subgroups: caps.subgroups.is_some(),
            subgroup_size_control: caps.subgroup_size_control,
            subgroup_matrix: !caps.matrices.is_empty(),
            timestamps: caps.timestamps,
        };
        let mut status = ok();
        // Dawn's adapter makes one device only, and a lost device must be followed by another.
        let fresh = adapter.instance.adapter(adapter.index);
        let Some(fresh) = fresh.as_ref() else {
            return Err(Error::DeviceLost("its adapter is gone".to_owned()).into());
        };
        let inner = fresh.open(&options, &mut status);
        check(&status, 0)?;
        let device = Self { inner, caps };
        let used = device.toggles();
        for wanted in &options.enable {
            if !used.contains(wanted) {
                return Err(Error::Dawn(format!("this Dawn does not know the toggle {wanted}")).into());
            }
        }
        Ok(Arc::new(device))
    }

    /// Capabilities.
    pub fn caps(&self) -> &Caps {
        &self.caps
    }

    /// Toggles that Dawn says are in use.
    pub fn toggles(&self) -> Vec<String> {
        self.inner.toggles()
    }

    /// Whether the device is gone.
    pub fn lost(&self) -> bool {
        self.inner.lost()
    }

    /// An error if the device is gone.
    pub fn check_alive(&self) -> Result<()> {
        if self.lost() { Err(Error::DeviceLost(self.lost_reason()).into()) } else { Ok(()) }
    }

    fn lost_reason(&self) -> String {
        let reason = self.inner.lost_reason();
        if reason.is_empty() { "no reason given".to_owned() } else { reason }
    }

    /// How many errors Dawn has reported outside the calls that check for them.
    pub fn error_count(&self) -> u64 {
        self.inner.error_count()
    }

    /// The newest of those errors.
    pub fn last_error(&self) -> String {
        self.inner.last_error()
    }

    /// Makes the device lost, as a driver reset would. For tests.
    pub fn lose(&self, reason: &str) {
        self.inner.inject_loss(reason);
    }
}

impl std::fmt::Debug for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Device").field("name", &self.caps.name).field("lost", &self.lost()).finish_non_exhaustive()
    }
}

pub(super) fn ok() -> ffi::Status {
    ffi::Status { code: ffi::Code::Ok, message: String::new() }
}

/// A status as an error; `bytes` for the message of an allocation.
pub(super) fn check(status: &ffi::Status, bytes: u64) -> Result<()> {
    let message = status.message.clone();
    Err(match status.code {
        ffi::Code::Ok => return Ok(()),
        ffi::Code::OutOfMemory => Error::OutOfMemory { bytes, what: message },
        ffi::Code::Lost => Error::DeviceLost(message),
        ffi::Code::Shader => Error::Shader(message),
        _ => Error::Dawn(message),
    }
    .into())
}
