//! Timestamps around dispatches: always compiled, used only by `exec::profile`.

use std::sync::Arc;

use anyhow::Result;
use cxx::UniquePtr;

use super::bridge::ffi;
use super::device::{Device, check, ok};
use super::queue;

/// Room for the begin and end times of dispatches.
pub struct Timestamps {
    pub(super) inner: UniquePtr<ffi::Timestamps>,
    device: Arc<Device>,
}

/// Most dispatches in one set: Dawn allows 4,096 queries.
pub const MAX_DISPATCHES: usize = 2048;

impl Timestamps {
    /// Room for `dispatches`, at most [`MAX_DISPATCHES`].
    pub fn new(device: &Arc<Device>, dispatches: usize) -> Result<Self> {
        let mut status = ok();
        let inner = device.inner.create_timestamps(2 * dispatches.min(MAX_DISPATCHES) as u32, &mut status);
        check(&status, 0)?;
        Ok(Self { inner, device: Arc::clone(device) })
    }

    /// Waits for the submission that used this and gives the nanoseconds of its first `dispatches`.
    pub fn read(&self, dispatches: usize) -> Result<Vec<u64>> {
        let buffer = self.inner.readback();
        let mapping = self.device.inner.map_read(&buffer, 0, 16 * dispatches as u64);
        queue::wait(&self.device, |ns| mapping.wait_mapping(ns))?;
        let times: Vec<u64> = mapping.bytes().chunks_exact(8).map(|b| b.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b))).collect();
        Ok(times.chunks_exact(2).map(|t| t[1].saturating_sub(t[0])).collect())
    }
}
