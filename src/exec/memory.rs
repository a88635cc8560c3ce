//! Which buffer lies behind an address. Each buffer stands for a range of addresses that no host memory and no other buffer
//! has, so an address names buffer and offset, and a foreign tensor is recognised without looking into its buffer.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use anyhow::Result;

use super::shared::Shared;
use crate::gpu::Buffer;
use crate::gpu::buffer::Usage;
use crate::ops::plan::{Space, Spaces};

/// First address given out. Not canonical on any 64-bit machine, so never that of host memory.
const FIRST: u64 = 0x4000_0000_0000_0000;
/// Ranges begin at multiples of this, a multiple of any device's offset alignment.
const STEP: u64 = 0x1_0000;

/// A buffer with the addresses that it stands for.
pub struct Region {
    space: Space,
    buffer: Buffer,
    shared: Arc<Shared>,
}

static REGIONS: RwLock<BTreeMap<u64, Arc<Region>>> = RwLock::new(BTreeMap::new());
static NEXT: AtomicU64 = AtomicU64::new(FIRST);

impl Region {
    /// Allocates `size` bytes; content is undefined.
    pub fn new(shared: &Arc<Shared>, label: &str, size: u64) -> Result<Arc<Self>> {
        let buffer = Buffer::new(shared.device(), label, size, Usage::Storage)?;
        let bytes = buffer.size();
        let start = NEXT.fetch_add((bytes + 1).next_multiple_of(STEP), Ordering::Relaxed);
        let region = Arc::new(Self { space: Space { start, end: start + bytes }, buffer, shared: Arc::clone(shared) });
        REGIONS.write().unwrap_or_else(PoisonError::into_inner).insert(start, Arc::clone(&region));
        shared.allocated(bytes as i64);
        Ok(region)
    }

    /// Gives the memory back once no plan uses it. Plans that name it are found out by [`Region::live`].
    pub fn free(&self) {
        REGIONS.write().unwrap_or_else(PoisonError::into_inner).remove(&self.space.start);
        self.shared.allocated(-(self.buffer.size() as i64));
        self.shared.forget();
    }

    /// Whether it has not been freed.
    pub fn live(&self) -> bool {
        REGIONS.read().unwrap_or_else(PoisonError::into_inner).contains_key(&self.space.start)
    }

    /// The first address.
    pub fn base(&self) -> u64 {
        self.space.start
    }

    /// The addresses.
    pub fn space(&self) -> Space {
        self.space
    }

    /// The GPU's buffer.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// What its device shares.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}

/// The region that holds an address.
pub fn find(address: u64) -> Option<Arc<Region>> {
    if address < FIRST {
        return None;
    }
    let regions = REGIONS.read().unwrap_or_else(PoisonError::into_inner);
    let (_, region) = regions.range(..=address).next_back()?;
    // A tensor of no elements may lie at the very end.
    (address <= region.space.end).then(|| Arc::clone(region))
}

/// Whether an address is one that some buffer of this crate has or had.
pub fn is_ours(address: u64) -> bool {
    (FIRST..crate::ops::plan::SCRATCH.start).contains(&address)
}

/// The memory of one device, as rooms see it.
pub struct DeviceSpaces<'a>(pub &'a Arc<Shared>);

impl Spaces for DeviceSpaces<'_> {
    fn find(&self, address: u64) -> Option<Space> {
        find(address).filter(|r| Arc::ptr_eq(&r.shared, self.0)).map(|r| r.space)
    }
}
