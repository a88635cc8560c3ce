//! What a device can do, as plain data without handles, so that ops can be chosen and tested without a GPU.

use super::bridge::ffi;
use crate::env::Settings;

/// Kinds of adapters, as WebGPU names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdapterKind {
    /// A graphics card with memory of its own.
    Discrete,
    /// Shares memory with the CPU.
    Integrated,
    /// A software renderer (llvmpipe, SwiftShader).
    Software,
    /// Unknown.
    Other,
}

/// Component types of subgroup matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Component {
    /// 32-bit float.
    F32,
    /// 16-bit float.
    F16,
    /// 32-bit unsigned.
    U32,
    /// 32-bit signed.
    I32,
    /// 8-bit unsigned.
    U8,
    /// 8-bit signed.
    I8,
}

impl Component {
    fn from_dawn(value: u32) -> Option<Self> {
        Some(match value {
            1 => Self::F32,
            2 => Self::F16,
            3 => Self::U32,
            4 => Self::I32,
            5 => Self::U8,
            6 => Self::I8,
            _ => return None,
        })
    }
}

/// One shape of subgroup matrix: A is m x k, B is k x n, both of `component`; C is m x n of `result`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatrixShape {
    /// Type of A and B.
    pub component: Component,
    /// Type of C.
    pub result: Component,
    /// Rows of A.
    pub m: u32,
    /// Columns of B.
    pub n: u32,
    /// Columns of A.
    pub k: u32,
}

/// Capabilities and limits. Sizes in bytes.
#[derive(Debug, Clone)]
pub struct Caps {
    /// Description of the adapter, such as "NVIDIA H200".
    pub name: String,
    /// Vendor, lower case, such as "nvidia".
    pub vendor: String,
    /// Architecture, such as "hopper"; may be empty.
    pub architecture: String,
    /// Driver's own words.
    pub driver: String,
    /// PCI vendor.
    pub vendor_id: u32,
    /// PCI device.
    pub device_id: u32,
    /// "Vulkan", "Metal", "D3D12".
    pub backend: String,
    /// Discrete, integrated or software.
    pub kind: AdapterKind,
    /// The largest heap that the GPU reaches without crossing a bus; 0 if unknown.
    pub memory: u64,
    /// Half floats in shaders.
    pub f16: bool,
    /// Least and greatest subgroup size, if there are subgroup operations.
    pub subgroups: Option<(u32, u32)>,
    /// A kernel may ask for one of the sizes in `subgroups`.
    pub subgroup_size_control: bool,
    /// Subgroup matrix shapes; empty without the feature.
    pub matrices: Vec<MatrixShape>,
    /// Dot products of four packed bytes.
    pub dot4: bool,
    /// Bytes of immediates; 0 where parameters must come from a buffer.
    pub immediate_bytes: u32,
    /// Queries of time.
    pub timestamps: bool,
    /// Largest buffer.
    pub max_buffer: u64,
    /// Largest storage binding.
    pub max_binding: u64,
    /// Bindings begin at multiples of this.
    pub offset_alignment: u32,
    /// Workgroups in each dimension of a dispatch.
    pub max_workgroups: u32,
    /// Invocations of a workgroup.
    pub max_invocations: u32,
    /// Memory of a workgroup.
    pub max_workgroup_memory: u32,
    /// Storage buffers of a kernel.
    pub max_storage_buffers: u32,
    /// Why this adapter cannot serve; `None` if it can.
    pub unfit: Option<String>,
}

impl Caps {
    pub(super) fn new(facts: &ffi::AdapterFacts, packed_dot: bool, immediates: bool, settings: &Settings) -> Self {
        let off = |name| settings.disabled(name);
        let subgroups = (facts.subgroups && !off("subgroups")).then_some((facts.subgroup_min, facts.subgroup_max));
        let subgroups = subgroups.map(|(min, max)| match settings.subgroup_size {
            Some(size) if facts.subgroup_size_control && (min..=max).contains(&size) => (size, size),
            _ => (min, max),
        });
        let f16 = facts.f16 && !off("f16");
        let matrix = f16 && subgroups.is_some() && facts.subgroup_matrix && !off("matrix");
        Self {
            name: if facts.device.is_empty() { facts.description.clone() } else { facts.device.clone() },
            vendor: facts.vendor.to_lowercase(),
            architecture: facts.architecture.clone(),
            driver: facts.description.clone(),
            vendor_id: facts.vendor_id,
            device_id: facts.device_id,
            backend: ffi::backend_name(facts.backend),
            kind: match facts.adapter_type {
                1 => AdapterKind::Discrete,
                2 => AdapterKind::Integrated,
                3 => AdapterKind::Software,
                _ => AdapterKind::Other,
            },
            memory: facts.heaps.iter().filter(|h| h.device_local).map(|h| h.size).max().unwrap_or(0),
            f16,
            subgroups,
            subgroup_size_control: facts.subgroup_size_control && subgroups.is_some(),
            matrices: if matrix { facts.matrices.iter().filter_map(matrix_shape).collect() } else { Vec::new() },
            dot4: packed_dot && !off("dot4"),
            immediate_bytes: if immediates && !off("immediates") { facts.max_immediate_bytes.min(64) } else { 0 },
            timestamps: facts.timestamps,
            max_buffer: facts.max_buffer,
            // Bindings are whole words.
            max_binding: if off("bindings") { 1 << 17 } else { facts.max_binding & !15 },
            offset_alignment: facts.min_offset_alignment.max(16),
            max_workgroups: facts.max_workgroups,
            max_invocations: facts.max_invocations.min(facts.max_workgroup_x),
            max_workgroup_memory: facts.max_workgroup_memory,
            max_storage_buffers: facts.max_storage_buffers,
            unfit: (!facts.implicit_sync).then(|| "it lacks implicit device synchronization".to_owned()),
        }
    }

    /// The subgroup size that a kernel may count on: the only one there is, or the one that it can ask for.
    pub fn fixed_subgroup(&self) -> Option<u32> {
        let (min, max) = self.subgroups?;
        (min == max || self.subgroup_size_control).then_some(max)
    }
}

fn matrix_shape(m: &ffi::Matrix) -> Option<MatrixShape> {
    Some(MatrixShape { component: Component::from_dawn(m.component)?, result: Component::from_dawn(m.result)?, m: m.m, n: m.n, k: m.k })
}
