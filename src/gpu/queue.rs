//! Waiting for the queue: always with a time limit, always able to say that it failed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use cxx::UniquePtr;

use super::bridge::ffi;
use super::caps::AdapterKind;
use super::device::{Device, check};
use crate::error::Error;

/// How long one wait may take before the device counts as hung: batches are small, so a healthy GPU is far below it. A software
/// renderer may work on one large kernel for minutes.
fn limit(device: &Device) -> Duration {
    Duration::from_secs(if device.caps().kind == AdapterKind::Software { 900 } else { 60 })
}

/// A thread that waits inside Dawn keeps others from submitting, so it waits in slices.
const SLICE: Duration = Duration::from_millis(5);

/// "All that was submitted before this has run."
pub struct Fence {
    inner: UniquePtr<ffi::Fence>,
    device: Arc<Device>,
}

impl Fence {
    /// A fence behind everything submitted so far.
    pub fn new(device: &Arc<Device>) -> Self {
        Self { inner: device.inner.submitted_work_done(), device: Arc::clone(device) }
    }

    /// Waits for it.
    pub fn wait(&self) -> Result<()> {
        wait(&self.device, |ns| self.inner.wait_fence(ns))
    }
}

/// Calls `poll` with slices of time until it is done, fails or the limit has passed.
pub(super) fn wait(device: &Device, mut poll: impl FnMut(u64) -> ffi::Status) -> Result<()> {
    let start = Instant::now();
    let limit = limit(device);
    loop {
        let status = poll(SLICE.as_nanos() as u64);
        if status.code != ffi::Code::Timeout {
            device.check_alive()?;
            return check(&status, 0);
        }
        device.check_alive()?;
        if start.elapsed() > limit {
            return Err(Error::DeviceLost(format!("no answer for {} s", limit.as_secs())).into());
        }
    }
}
