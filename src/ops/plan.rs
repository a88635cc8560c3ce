//! What a room hands to the engine: dispatches as plain data, with places as addresses. No handle, no GPU.

use anyhow::Result;

use super::bind::{self, Bound, Operand};
use super::grid;
use crate::ggml::grids;
use crate::gpu::Caps;
use crate::shader::{Access, Variant, Words};

/// A piece of memory that bindings may lie in: one GPU buffer, as a range of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// First address.
    pub start: u64,
    /// Behind the last address. Bindings may end here even if a tensor ends a few bytes earlier.
    pub end: u64,
}

/// Finds the buffer behind an address.
pub trait Spaces {
    /// The space that holds `address`, or `None` if it is not memory of this device.
    fn find(&self, address: u64) -> Option<Space>;
}

/// Addresses of the scratch memory of a stream: no tensor lies here.
pub const SCRATCH: Space = Space { start: 0x5000_0000_0000_0000, end: 0x5fff_ffff_ffff_ff00 };

/// Addresses of the grids of `ggml::grids`, which each device has once.
pub const GRIDS: Space = Space { start: 0x6000_0000_0000_0000, end: 0x6000_0000_0000_0000 + grids::BYTES };

/// A binding: a range of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Range {
    /// First byte, a multiple of the device's offset alignment within its space.
    pub start: u64,
    /// Bytes, a multiple of 4.
    pub size: u64,
}

/// One dispatch.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// What to run.
    pub variant: Variant,
    /// Bindings, in the variant's order.
    pub ranges: Vec<Range>,
    /// Parameters, as the shader's words.
    pub params: Vec<u32>,
    /// Workgroups.
    pub grid: [u32; 3],
}

/// Collects the steps of one node after the other.
pub struct Planner<'a> {
    caps: &'a Caps,
    spaces: &'a dyn Spaces,
    steps: Vec<Step>,
    scratch_used: u64,
    scratch_most: u64,
}

impl<'a> Planner<'a> {
    /// An empty plan.
    pub fn new(caps: &'a Caps, spaces: &'a dyn Spaces) -> Self {
        Self { caps, spaces, steps: Vec::new(), scratch_used: 0, scratch_most: 0 }
    }

    /// The device's capabilities.
    pub fn caps(&self) -> &'a Caps {
        self.caps
    }

    /// Starts a node: its scratch memory may overlap that of earlier nodes, since nodes run one after the other.
    pub fn begin_node(&mut self) {
        self.scratch_used = 0;
    }

    /// Takes scratch memory for the current node and gives its address. Content is undefined.
    pub fn scratch(&mut self, bytes: u64) -> u64 {
        let at = SCRATCH.start + self.scratch_used;
        self.scratch_used += bytes.next_multiple_of(256);
        self.scratch_most = self.scratch_most.max(self.scratch_used);
        at
    }

    /// Finds bindings for the operands of one kernel; see [`bind::resolve`].
    pub fn bind(&mut self, operands: &[Operand<'_>]) -> Result<Bound> {
        bind::resolve(self, operands)
    }

    /// Appends a dispatch of `workgroups`, spread over the grid's dimensions.
    pub fn dispatch(&mut self, variant: Variant, bound: &Bound, params: &impl Words, workgroups: u64) -> Result<()> {
        let grid = grid::spread(workgroups, self.caps)?;
        self.dispatch_grid(variant, bound, params, grid)
    }

    /// Appends a dispatch with a grid of its own making; every dimension must be within the device's limit.
    pub fn dispatch_grid(&mut self, variant: Variant, bound: &Bound, params: &impl Words, grid: [u32; 3]) -> Result<()> {
        grid::check(grid, self.caps)?;
        let bindings = bound.bindings.iter().map(|b| (b.0, b.1)).collect();
        let variant = variant.flag("F16", self.caps.f16).bound(bindings, bound.aliases.clone(), self.caps.immediate_bytes);
        if variant.binding_count() > self.caps.max_storage_buffers {
            crate::unsupported!(
                "{} needs {} storage buffers (this device has {})",
                variant.shader(),
                variant.binding_count(),
                self.caps.max_storage_buffers
            );
        }
        let ranges = bound.bindings.iter().map(|b| b.2).collect();
        self.steps.push(Step { variant, ranges, params: params.words(), grid });
        Ok(())
    }

    /// The space behind an address, if it is memory of this device.
    pub fn space_of(&self, address: u64) -> Option<Space> {
        self.space(address)
    }

    /// [`Planner::space_of`], where scratch memory counts too.
    pub(super) fn space(&self, address: u64) -> Option<Space> {
        if (SCRATCH.start..SCRATCH.end).contains(&address) { Some(SCRATCH) } else { self.spaces.find(address) }
    }

    /// How many steps there are so far.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The steps, and the bytes of scratch memory that they need.
    pub fn finish(self) -> (Vec<Step>, u64) {
        (self.steps, self.scratch_most)
    }
}

/// Access of a binding, for rooms that make kernels by hand.
pub type BindingAccess = Access;
