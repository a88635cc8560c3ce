//! What all streams and buffers of a device share: the device, its pipelines, its readback memory.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;

use crate::ggml::grids;
use crate::gpu::buffer::Usage;
use crate::gpu::{Adapter, Buffer, Caps, Device};
use crate::shader::Store;

/// A device and what belongs to it. Lives until the last buffer and stream that use it are gone.
pub struct Shared {
    device: Arc<Device>,
    store: Store,
    readback: Mutex<Vec<Buffer>>,
    grids: Mutex<Option<Arc<Buffer>>>,
    allocated: AtomicI64,
    /// Counts buffers that were freed, so that streams drop the plans that name them.
    freed: AtomicU64,
}

/// Readback buffers kept for the next read; larger ones are dropped after use.
const KEPT_READBACK: u64 = 16 << 20;

impl Shared {
    /// Opens a device.
    pub fn open(adapter: &Adapter) -> Result<Arc<Self>> {
        Ok(Arc::new(Self {
            device: adapter.open()?,
            store: Store::default(),
            readback: Mutex::default(),
            grids: Mutex::default(),
            allocated: AtomicI64::new(0),
            freed: AtomicU64::new(0),
        }))
    }

    /// The device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Its capabilities.
    pub fn caps(&self) -> &Caps {
        self.device.caps()
    }

    /// Its pipelines.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The grids of the iq types; made when they are first needed.
    pub(super) fn grids(&self) -> Result<Arc<Buffer>> {
        let mut grids = self.grids.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(buffer) = &*grids {
            return Ok(Arc::clone(buffer));
        }
        let buffer = Arc::new(Buffer::new(&self.device, "grids", grids::BYTES, Usage::Storage)?);
        buffer.write(0, &grids::bytes())?;
        Ok(Arc::clone(grids.insert(buffer)))
    }

    /// Notes memory that was taken or given back.
    pub(super) fn allocated(&self, bytes: i64) {
        self.allocated.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Bytes in buffers now.
    pub fn in_use(&self) -> u64 {
        self.allocated.load(Ordering::Relaxed).max(0) as u64
    }

    pub(super) fn forget(&self) {
        self.freed.fetch_add(1, Ordering::Release);
    }

    /// Changes when a buffer has been freed.
    pub(super) fn freed(&self) -> u64 {
        self.freed.load(Ordering::Acquire)
    }

    /// A readback buffer of at least `size` bytes.
    pub(super) fn take_readback(&self, size: u64) -> Result<Buffer> {
        let mut kept = self.readback.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(i) = kept.iter().position(|b| b.size() >= size) {
            return Ok(kept.swap_remove(i));
        }
        drop(kept);
        Buffer::new(&self.device, "readback", size.next_power_of_two().max(4096), Usage::Readback)
    }

    /// Keeps a readback buffer for later.
    pub(super) fn give_readback(&self, buffer: Buffer) {
        let mut kept = self.readback.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < 4 && buffer.size() <= KEPT_READBACK {
            kept.push(buffer);
        }
    }
}
