//! Memory of a stream besides tensors: scratch space for kernels, and the arena of parameters that don't fit immediates.

use std::sync::Arc;

use anyhow::Result;

use crate::gpu::buffer::Usage;
use crate::gpu::encoder::Range;
use crate::gpu::{Buffer, Device};

/// Parameters of several dispatches in one buffer, written once.
pub struct Arena {
    buffer: Buffer,
    /// Offset and size of each dispatch's parameters.
    places: Vec<(u64, u64)>,
}

/// Writes the words of each dispatch, each at an aligned offset.
pub fn arena(device: &Arc<Device>, params: &[&[u32]]) -> Result<Arena> {
    let align = device.caps().offset_alignment as usize;
    let mut bytes: Vec<u8> = Vec::new();
    let mut places = Vec::with_capacity(params.len());
    for words in params {
        let start = bytes.len();
        bytes.extend(words.iter().flat_map(|w| w.to_le_bytes()));
        places.push((start as u64, 4 * words.len() as u64));
        bytes.resize(bytes.len().next_multiple_of(align), 0);
    }
    let buffer = Buffer::new(device, "parameters", bytes.len() as u64, Usage::Storage)?;
    buffer.write(0, &bytes)?;
    Ok(Arena { buffer, places })
}

impl Arena {
    /// The binding for the parameters of dispatch `i`.
    pub fn range(&self, i: usize) -> Range<'_> {
        let (offset, size) = self.places.get(i).copied().unwrap_or((0, 16));
        Range { buffer: &self.buffer, offset, size }
    }
}

/// Scratch memory: grows, never shrinks; shared by the plans of a stream, since they run one after the other.
#[derive(Default)]
pub struct Scratch {
    buffer: Option<Arc<Buffer>>,
}

impl Scratch {
    /// At least `bytes`.
    pub fn get(&mut self, device: &Arc<Device>, bytes: u64) -> Result<Option<Arc<Buffer>>> {
        if bytes == 0 {
            return Ok(None);
        }
        if self.buffer.as_ref().is_none_or(|b| b.size() < bytes) {
            self.buffer = Some(Arc::new(Buffer::new(device, "scratch", bytes, Usage::Storage)?));
        }
        Ok(self.buffer.clone())
    }
}
