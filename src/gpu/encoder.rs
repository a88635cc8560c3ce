//! Recordings: the pipelines and bind groups of a plan, kept between calls, and the submission of dispatches that name them
//! by index. One crossing of the bridge for each batch.

use std::sync::Arc;

use anyhow::Result;
use cxx::UniquePtr;

use super::bridge::ffi;
use super::buffer::Buffer;
use super::device::Device;
use super::pipeline::Pipeline;
use super::timing::Timestamps;

/// Words of immediates that a dispatch can carry.
pub const IMMEDIATE_WORDS: usize = 16;

/// Dispatches in the order in which they run, ready to cross the bridge.
#[derive(Debug, Default)]
pub struct Dispatches(Vec<ffi::Dispatch>);

impl Dispatches {
    /// Appends one: what to run, with which bindings and parameters, on how many workgroups. `immediates` are at most
    /// [`IMMEDIATE_WORDS`] words; more are cut off.
    pub fn push(&mut self, pipeline: u32, group: u32, immediates: &[u32], grid: [u32; 3]) {
        let n = immediates.len().min(IMMEDIATE_WORDS);
        let mut words = [0; IMMEDIATE_WORDS];
        words[..n].copy_from_slice(&immediates[..n]);
        self.0.push(ffi::Dispatch { pipeline, group, immediate_words: n as u32, x: grid[0], y: grid[1], z: grid[2], immediates: words });
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A range of a buffer for a binding.
#[derive(Debug, Clone, Copy)]
pub struct Range<'a> {
    /// The buffer.
    pub buffer: &'a Buffer,
    /// A multiple of the device's offset alignment.
    pub offset: u64,
    /// A multiple of 4.
    pub size: u64,
}

/// Pipelines and bind groups of one plan.
pub struct Recording {
    inner: UniquePtr<ffi::Recording>,
    device: Arc<Device>,
}

impl Recording {
    /// An empty recording.
    pub fn new(device: &Arc<Device>) -> Self {
        Self { inner: device.inner.create_recording(), device: Arc::clone(device) }
    }

    /// Adds a pipeline and names it.
    pub fn pipeline(&mut self, pipeline: &Pipeline) -> u32 {
        self.inner.pin_mut().add_pipeline(&pipeline.inner)
    }

    /// Makes a bind group for the layout of a pipeline that was added, and names it.
    pub fn bind_group(&mut self, pipeline: u32, ranges: &[Range<'_>]) -> u32 {
        for r in ranges {
            self.inner.pin_mut().bind(&r.buffer.inner, r.offset, r.size);
        }
        self.inner.pin_mut().add_bind_group(&self.device.inner, pipeline)
    }

    /// Encodes the dispatches of `range` in one pass and submits them. Does not wait.
    pub fn submit(&self, dispatches: &Dispatches, range: std::ops::Range<usize>) -> Result<()> {
        self.device.check_alive()?;
        self.device.inner.submit(&self.inner, dispatches.0.get(range).unwrap_or_default());
        Ok(())
    }

    /// The same, with the time of each dispatch; `timestamps` holds two for each.
    pub fn submit_timed(&self, dispatches: &Dispatches, range: std::ops::Range<usize>, timestamps: &Timestamps) -> Result<()> {
        self.device.check_alive()?;
        self.device.inner.submit_timed(&self.inner, dispatches.0.get(range).unwrap_or_default(), &timestamps.inner);
        Ok(())
    }
}
