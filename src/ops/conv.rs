//! CONV_2D and CONV_3D: direct convolution of F32, F16 or BF16 images with kernels of any strides.

use anyhow::Result;

use super::bind::{read, write};
use super::{Case, Planner, Room, elem, grid, split};
use crate::ggml::make::Fill;
use crate::ggml::{Node, Type, sys};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct Conv;
pub(super) static ROOM: Conv = Conv;

/// The shader's tile and its workgroup.
const SIDE: u32 = 64;
const WG_SIZE: u32 = 256;

impl Room for Conv {
    type Choice = ();

    fn choose(&self, node: &Node, caps: &Caps) -> Result<()> {
        let kernel = node.source(0)?;
        for t in [kernel, node.source(1)?, &node.dst] {
            elem::need_float(t)?;
        }
        if caps.max_invocations < WG_SIZE {
            crate::unsupported!("workgroups of {} (it needs {WG_SIZE})", caps.max_invocations);
        }
        Ok(())
    }

    fn plan(&self, node: &Node, _choice: &(), planner: &mut Planner<'_>) -> Result<()> {
        let (kernel, src, dst) = (node.source(0)?, node.source(1)?, &node.dst);
        let caps = planner.caps();
        let word = |t: &crate::ggml::Tensor, write| elem::word(t.ty, caps, false, write);
        let (wk, ws, wd) = (word(kernel, false), word(src, false), word(dst, true));
        let bound = planner.bind(&[read("kernel", kernel, wk), read("src", src, ws), write("dst", dst, wd)])?;
        let (k, s, d) = (bound.view("kernel", kernel)?, bound.view("src", src)?, bound.view("dst", dst)?);
        let p = |i| node.params.i32(i);
        let deep = node.op == sys::GGML_OP_CONV_3D;
        // Where channels and batches share a dimension, batches are as many channels apart.
        let (inner, outer, batches, steps) = if deep {
            (
                u64::from(node.params.u32(9)),
                u64::from(node.params.u32(11)),
                u64::from(node.params.u32(10)),
                [0, 1, 2, 3, 4, 5, 6, 7, 8].map(p),
            )
        } else {
            (src.ne[2], dst.ne[2], dst.ne[3], [p(0), p(1), 1, p(2), p(3), 0, p(4), p(5), 1])
        };
        let [stride0, stride1, stride2, pad0, pad1, pad2, dilation0, dilation1, dilation2] = steps;
        let third = |n: u64| if deep { n } else { 1 };
        let places = dst.ne[0] * dst.ne[1] * third(dst.ne[2]) * batches;
        let params = params::conv::Params {
            places: places as u32,
            channels: outer as u32,
            k: (kernel.ne[0] * kernel.ne[1] * third(kernel.ne[2]) * inner) as u32,
            places0: dst.ne[0] as u32,
            places1: dst.ne[1] as u32,
            places2: third(dst.ne[2]) as u32,
            width: src.ne[0] as u32,
            height: src.ne[1] as u32,
            depth: third(src.ne[2]) as u32,
            kernel0: kernel.ne[0] as u32,
            kernel1: kernel.ne[1] as u32,
            kernel2: third(kernel.ne[2]) as u32,
            stride0,
            stride1,
            stride2,
            pad0,
            pad1,
            pad2,
            dilation0,
            dilation1,
            dilation2,
            kernel_offset: k.offset,
            kernel_width: k.nb[0],
            kernel_height: k.nb[1],
            kernel_depth: if deep { k.nb[2] } else { 0 },
            kernel_inner: if deep { k.nb[3] } else { k.nb[2] },
            kernel_outer: if deep { (inner as u32).wrapping_mul(k.nb[3]) } else { k.nb[3] },
            src_offset: s.offset,
            src_width: s.nb[0],
            src_height: s.nb[1],
            src_depth: if deep { s.nb[2] } else { 0 },
            src_channel: if deep { s.nb[3] } else { s.nb[2] },
            src_batch: if deep { (inner as u32).wrapping_mul(s.nb[3]) } else { s.nb[3] },
            dst_offset: d.offset,
            dst_width: d.nb[0],
            dst_height: d.nb[1],
            dst_depth: if deep { d.nb[2] } else { 0 },
            dst_channel: if deep { d.nb[3] } else { d.nb[2] },
            dst_batch: if deep { (outer as u32).wrapping_mul(d.nb[3]) } else { d.nb[3] },
        };
        let variant = elem::define(
            Variant::new("conv").flag("DENSE", kernel.contiguous()).flag("HALF", kernel.ty == Type::F16),
            &[("KERNEL", kernel.ty, wk), ("SRC", src.ty, ws), ("DST", dst.ty, wd)],
        );
        planner.dispatch(variant, &bound, &params, grid::groups(places, SIDE) * grid::groups(outer, SIDE))
    }

    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        use split::Follow::{Same, Whole};
        if node.op == sys::GGML_OP_CONV_3D {
            return Vec::new();
        }
        vec![split::Axis { dim: 3, step: 1, sources: vec![Whole, Same(3)] }, split::Axis { dim: 2, step: 1, sources: vec![Same(3), Whole] }]
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for ty in [Type::F32, Type::F16] {
            for (s, p, d) in [(1, 1, 1), (3, 0, 2), (2, 4, 1)] {
                cases.push(Case::new(format!("2-D {ty}, stride {s}, pad {p}, dilation {d}"), move |m| {
                    m.conv_2d_direct(m.input(ty, [3, 2, 5, 67]), m.input(Type::F32, [20, 11, 5, 2]), s, 1, p, 1, d, 1)
                }));
                cases.push(Case::new(format!("3-D {ty}, stride {s}, pad {p}, dilation {d}"), move |m| {
                    let kernel = m.input(ty, [3, 2, 3, 4 * 6]);
                    m.conv_3d_direct(kernel, m.input(Type::F32, [12, 9, 10, 4 * 2]), s, 1, s, p, 1, p, d, 1, d, 4, 2, 6)
                }));
            }
        }
        cases.push(Case::new("1 x 1 kernel", |m| {
            m.conv_2d_direct(m.input(Type::F32, [1, 1, 70, 3]), m.input(Type::F32, [9, 9, 70, 1]), 1, 1, 0, 0, 1, 1)
        }));
        cases.push(Case::new("what rounding the image to the kernel's f16 leaves", |m| {
            let kernel = m.filled(Type::F16, [1, 1, 2, 1], Fill::Values(vec![1.0, -1.0]));
            m.conv_2d_direct(kernel, m.filled(Type::F32, [1, 1, 2, 1], Fill::Values(vec![2049.0, 2050.0])), 1, 1, 0, 0, 1, 1)
        }));
        cases.push(Case::new("image with channels first", |m| {
            let image = m.permute(m.input(Type::F32, [8, 14, 12, 2]), [2, 0, 1, 3]);
            m.conv_2d_direct(m.input(Type::F32, [3, 3, 8, 5]), image, 1, 1, 1, 1, 1, 1)
        }));
        cases
    }
}
