//! Byte-exact access to buffers: any offset, any size. The GPU's queue moves whole words; the bytes at the ends are patched by
//! a small kernel in queue order, so several threads may write neighbouring bytes.

use std::sync::Arc;

use anyhow::Result;

use super::memory::Region;
use super::shared::Shared;
use crate::gpu::Buffer;
use crate::gpu::buffer::Mapping;
use crate::gpu::encoder::{Dispatches, Range, Recording};
use crate::ops::grid;
use crate::shader::{Access, Variant, Words, params};

const WG_SIZE: u32 = 256;

/// Sets bytes `offset..offset + size` to `value`.
pub fn fill(region: &Region, value: u8, offset: u64, size: u64) -> Result<()> {
    if size == 0 {
        return Ok(());
    }
    let (end, word) = (offset + size, u32::from(value) * 0x0101_0101);
    if value == 0 {
        // Zeros in the middle need no kernel.
        let (first, last) = (offset.next_multiple_of(4), end & !3);
        if first < last {
            region.buffer().clear(first, last - first)?;
            patch(region, offset, first - offset, 0)?;
            return patch(region, last, end - last, 0);
        }
    }
    patch(region, offset, size, word)
}

/// Writes `bytes` at `offset`.
pub fn write(region: &Region, offset: u64, bytes: &[u8]) -> Result<()> {
    let end = offset + bytes.len() as u64;
    let (first, last) = (offset.next_multiple_of(4).min(end), (end & !3).max(offset));
    if first >= last {
        // Within one word, or two words of which neither is whole.
        let cut = (first.clamp(offset, end) - offset) as usize;
        patch_bytes(region, offset, &bytes[..cut])?;
        return patch_bytes(region, offset + cut as u64, &bytes[cut..]);
    }
    let (head, tail) = ((first - offset) as usize, (last - offset) as usize);
    patch_bytes(region, offset, &bytes[..head])?;
    region.buffer().write(first, &bytes[head..tail])?;
    patch_bytes(region, last, &bytes[tail..])
}

/// Reads into `bytes` from `offset`; waits.
pub fn read(region: &Region, offset: u64, bytes: &mut [u8]) -> Result<()> {
    const PIECE: usize = 32 << 20;
    for (i, piece) in bytes.chunks_mut(PIECE).enumerate() {
        let mut read = begin_read(region, offset + (i * PIECE) as u64, piece.len() as u64)?;
        read.finish(piece)?;
    }
    Ok(())
}

/// A read that has been queued.
pub struct Read {
    shared: Arc<Shared>,
    buffer: Option<Buffer>,
    mapping: Option<Mapping>,
    skip: usize,
}

/// Queues a read of `size` bytes behind everything submitted so far.
pub fn begin_read(region: &Region, offset: u64, size: u64) -> Result<Read> {
    let first = offset & !3;
    let words = (offset + size).next_multiple_of(4) - first;
    let shared = Arc::clone(region.shared());
    let buffer = shared.take_readback(words)?;
    region.buffer().copy_to(first, &buffer, 0, words)?;
    let mapping = buffer.map(words)?;
    Ok(Read { shared, buffer: Some(buffer), mapping: Some(mapping), skip: (offset - first) as usize })
}

impl Read {
    /// Waits for the bytes.
    pub fn finish(&mut self, bytes: &mut [u8]) -> Result<()> {
        let Some(mapping) = self.mapping.take() else { return Ok(()) };
        let skip = self.skip;
        mapping.read(|mapped| {
            if let Some(found) = mapped.get(skip..skip + bytes.len()) {
                bytes.copy_from_slice(found);
            }
        })?;
        drop(mapping);
        if let Some(buffer) = self.buffer.take() {
            self.shared.give_readback(buffer);
        }
        Ok(())
    }
}

/// Writes fewer than 4 bytes that lie within one word.
fn patch_bytes(region: &Region, offset: u64, bytes: &[u8]) -> Result<()> {
    let shift = offset % 4 * 8;
    let value = bytes.iter().rev().fold(0_u32, |w, &b| w << 8 | u32::from(b));
    patch(region, offset, bytes.len() as u64, value.wrapping_shl(shift as u32))
}

/// Sets bytes to the bytes of `word`, at the places that they have in a word.
fn patch(region: &Region, offset: u64, size: u64, word: u32) -> Result<()> {
    let mut at = offset;
    let end = offset + size;
    let caps = region.shared().caps();
    let window = (caps.max_binding / 2).min(1 << 30) & !255;
    while at < end {
        // Windows begin at a multiple of the offset alignment.
        let start = at / window * window;
        let stop = end.min(start + window);
        let (first, last) = (at / 4 * 4, stop.next_multiple_of(4));
        let head = u32::MAX << (at % 4 * 8);
        let tail = if stop.is_multiple_of(4) { u32::MAX } else { u32::MAX >> (32 - stop % 4 * 8) };
        let params =
            params::memset::Params { first: ((first - start) / 4) as u32, words: ((last - first) / 4) as u32, value: word, head, tail };
        let size = (region.buffer().size() - start).min(window);
        run(region, Range { buffer: region.buffer(), offset: start, size }, &params)?;
        at = stop;
    }
    Ok(())
}

fn run(region: &Region, range: Range<'_>, params: &params::memset::Params) -> Result<()> {
    let shared = region.shared();
    let variant = Variant::new("memset").constant("wg_size", WG_SIZE).bound(
        vec![("dst", Access::ReadWrite)],
        Vec::new(),
        shared.caps().immediate_bytes,
    );
    let pipelines = shared.store().get(shared.device(), &[&variant])?;
    let mut recording = Recording::new(shared.device());
    let pipeline = recording.pipeline(&pipelines[0]);
    let words = params.words();
    let mut ranges = vec![range];
    let arena = if variant.params_in_buffer() { Some(super::scratch::arena(shared.device(), &[&words])?) } else { None };
    if let Some(arena) = &arena {
        ranges.push(arena.range(0));
    }
    let group = recording.bind_group(pipeline, &ranges);
    let mut dispatches = Dispatches::default();
    let immediates = if arena.is_some() { &[][..] } else { &words };
    let grid = grid::spread(grid::groups(u64::from(params.words), WG_SIZE), shared.caps())?;
    dispatches.push(pipeline, group, immediates, grid);
    recording.submit(&dispatches, 0..1)
}
