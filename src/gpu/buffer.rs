//! Buffers of the GPU. Offsets and sizes are multiples of 4 here; byte-exact access is `exec::transfer`.

use std::sync::Arc;

use anyhow::Result;
use cxx::UniquePtr;

use super::bridge::ffi;
use super::device::{Device, check, ok};
use super::queue;
use crate::error::Error;

const MAP_READ: u64 = 0x1;
const COPY_SRC: u64 = 0x4;
const COPY_DST: u64 = 0x8;
const STORAGE: u64 = 0x80;

/// What a buffer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usage {
    /// Bound to kernels, copied from and to.
    Storage,
    /// Copied to, then mapped and read.
    Readback,
}

/// A buffer. Its memory goes back when it is dropped and the GPU has no more use for it.
pub struct Buffer {
    pub(super) inner: UniquePtr<ffi::Buffer>,
    device: Arc<Device>,
    size: u64,
}

impl Buffer {
    /// A buffer of `size` bytes (rounded up to a multiple of 16). Content is undefined.
    pub fn new(device: &Arc<Device>, label: &str, size: u64, usage: Usage) -> Result<Self> {
        device.check_alive()?;
        let limit = device.caps().max_buffer;
        let size = size.max(16).next_multiple_of(16);
        if size > limit {
            let what = format!("{label} (the largest buffer of {} is {limit} bytes)", device.caps().name);
            return Err(Error::OutOfMemory { bytes: size, what }.into());
        }
        let bits = match usage {
            Usage::Storage => STORAGE | COPY_SRC | COPY_DST,
            Usage::Readback => MAP_READ | COPY_DST,
        };
        let mut status = ok();
        let inner = device.inner.create_buffer(size, bits, label, &mut status);
        check(&status, size)?;
        if inner.is_null() {
            return Err(Error::OutOfMemory { bytes: size, what: label.to_owned() }.into());
        }
        Ok(Self { inner, device: Arc::clone(device), size })
    }

    /// Bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The device that it belongs to.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Queues a write. The bytes are copied before it returns. In pieces, since Dawn makes a staging buffer as large as any
    /// larger write, and with a wait now and then, since nothing else bounds that staging memory.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        const PIECE: usize = 4 << 20;
        const PIECES_IN_FLIGHT: usize = 16;
        self.device.check_alive()?;
        for (i, piece) in bytes.chunks(PIECE).enumerate() {
            self.device.inner.write_buffer(&self.inner, offset + (i * PIECE) as u64, piece);
            if i % PIECES_IN_FLIGHT == PIECES_IN_FLIGHT - 1 {
                queue::Fence::new(&self.device).wait()?;
            }
        }
        Ok(())
    }

    /// Queues a copy between two buffers of one device, or between ranges of one buffer that do not overlap.
    pub fn copy_to(&self, offset: u64, dst: &Self, dst_offset: u64, size: u64) -> Result<()> {
        self.device.check_alive()?;
        if size > 0 {
            self.device.inner.copy_buffer(&self.inner, offset, &dst.inner, dst_offset, size);
        }
        Ok(())
    }

    /// Queues zeros.
    pub fn clear(&self, offset: u64, size: u64) -> Result<()> {
        self.device.check_alive()?;
        if size > 0 {
            self.device.inner.clear_buffer(&self.inner, offset, size);
        }
        Ok(())
    }

    /// Starts to map a [`Usage::Readback`] buffer; what was queued before is in it when the wait returns.
    pub fn map(&self, size: u64) -> Result<Mapping> {
        self.device.check_alive()?;
        Ok(Mapping { inner: self.device.inner.map_read(&self.inner, 0, size), device: Arc::clone(&self.device) })
    }
}

impl std::fmt::Debug for Buffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Buffer").field("size", &self.size).finish_non_exhaustive()
    }
}

/// A readback buffer being mapped. Unmapped when dropped.
pub struct Mapping {
    inner: UniquePtr<ffi::Mapping>,
    device: Arc<Device>,
}

impl Mapping {
    /// Waits until the bytes are there and hands them to `take`.
    pub fn read(&self, take: impl FnOnce(&[u8])) -> Result<()> {
        queue::wait(&self.device, |ns| self.inner.wait_mapping(ns))?;
        take(self.inner.bytes());
        Ok(())
    }
}
