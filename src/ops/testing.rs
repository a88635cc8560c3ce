//! Made-up tensors, capabilities and memory for the unit tests of this folder.

use super::plan::{Space, Spaces};
use crate::ggml::tensor::MAX_SRC;
use crate::ggml::{Node, OpParams, Tensor, Type, sys};
use crate::gpu::Caps;
use crate::gpu::caps::AdapterKind;

/// Capabilities of a middling device.
pub fn caps() -> Caps {
    Caps {
        name: "test".into(),
        vendor: String::new(),
        architecture: String::new(),
        driver: String::new(),
        vendor_id: 0,
        device_id: 0,
        backend: String::new(),
        kind: AdapterKind::Other,
        memory: 0,
        f16: true,
        subgroups: Some((32, 32)),
        subgroup_size_control: false,
        matrices: Vec::new(),
        dot4: false,
        immediate_bytes: 64,
        timestamps: false,
        max_buffer: 1 << 40,
        max_binding: (1 << 31) - 16,
        offset_alignment: 256,
        max_workgroups: 65_535,
        max_invocations: 256,
        max_workgroup_memory: 16_384,
        max_storage_buffers: 8,
        unfit: None,
    }
}

/// A contiguous f32 tensor at an address of its own.
pub fn tensor(ne: [u64; 4]) -> Tensor {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1 << 60);
    let nb = [4, 4 * ne[0], 4 * ne[0] * ne[1], 4 * ne[0] * ne[1] * ne[2]];
    let bytes = (nb[3] * ne[3]).next_multiple_of(256).max(256);
    let data = NEXT.fetch_add(bytes, Ordering::Relaxed);
    Tensor { ty: Type::F32, ne, nb, data, id: data as usize, root: data as usize }
}

/// A node.
pub fn node(op: sys::ggml_op, dst: Tensor, sources: &[Tensor]) -> Node {
    let mut src = [None; MAX_SRC];
    for (slot, s) in src.iter_mut().zip(sources) {
        *slot = Some(*s);
    }
    Node { op, whole: dst.ne, dst, src, params: OpParams::default(), flags: 0, name: "test".into(), first: [0; 4] }
}

/// Memory in which every address exists: one space for each 1 GiB.
pub struct Gigabytes;

impl Spaces for Gigabytes {
    fn find(&self, address: u64) -> Option<Space> {
        let start = address >> 30 << 30;
        Some(Space { start, end: start + (1 << 30) })
    }
}
