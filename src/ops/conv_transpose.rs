//! CONV_TRANSPOSE_1D and CONV_TRANSPOSE_2D: each element of an image adds a kernel to the result.

use anyhow::Result;

use super::bind::{read, write};
use super::{Case, Planner, Room, elem, grid, split};
use crate::ggml::{Node, Type, sys};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct ConvTranspose;
pub(super) static ROOM: ConvTranspose = ConvTranspose;

const WG_SIZE: u32 = 256;

impl Room for ConvTranspose {
    type Choice = ();

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<()> {
        elem::need_float(node.source(0)?)?;
        elem::need_float(node.source(1)?)?;
        elem::need(&node.dst, Type::F32, "a result")?;
        if node.params.i32(0) <= 0 {
            crate::unsupported!("a stride of {}", node.params.i32(0));
        }
        Ok(())
    }

    fn plan(&self, node: &Node, _choice: &(), planner: &mut Planner<'_>) -> Result<()> {
        let (kernel, src, dst) = (node.source(0)?, node.source(1)?, &node.dst);
        let caps = planner.caps();
        let (wk, ws) = (elem::word(kernel.ty, caps, false, false), elem::word(src.ty, caps, false, false));
        let bound = planner.bind(&[read("kernel", kernel, wk), read("src", src, ws), write("dst", dst, "f32")])?;
        let (k, s, d) = (bound.view("kernel", kernel)?, bound.view("src", src)?, bound.view("dst", dst)?);
        // Width, height, then what follows: one dimension has no height.
        let flat = node.op == sys::GGML_OP_CONV_TRANSPOSE_1D;
        let pick = |v: [u32; 4]| if flat { [v[0], 0, v[1], v[2]] } else { v };
        let lengths = |ne: [u64; 4]| if flat { [ne[0], 1, ne[1], ne[2]] } else { ne }.map(|n| n as u32);
        let [kernel0, kernel1, ..] = lengths(kernel.ne);
        let [width, height, inner, _] = lengths(src.ne);
        let [ne0, ne1, channels, _] = lengths(dst.ne);
        let [kernel_width, kernel_height, kernel_outer, kernel_inner] = pick(k.nb);
        let [src_width, src_height, src_channel, src_batch] = pick(s.nb);
        let [dst_width, dst_height, dst_channel, dst_batch] = pick(d.nb);
        let params = params::conv_transpose::Params {
            count: dst.elements() as u32,
            ne0,
            ne1,
            channels,
            inner,
            width,
            height,
            kernel0,
            kernel1,
            stride: node.params.u32(0),
            kernel_offset: k.offset,
            kernel_width,
            kernel_height,
            kernel_outer,
            kernel_inner,
            src_offset: s.offset,
            src_width,
            src_height,
            src_channel,
            src_batch,
            dst_offset: d.offset,
            dst_width,
            dst_height,
            dst_channel,
            dst_batch,
        };
        let wg_size = WG_SIZE.min(caps.max_invocations);
        let variant = Variant::new("conv_transpose").constant("wg_size", wg_size).flag("HALF", kernel.ty == Type::F16);
        let variant = elem::define(variant, &[("KERNEL", kernel.ty, wk), ("SRC", src.ty, ws)]);
        planner.dispatch(variant, &bound, &params, grid::groups(dst.elements(), wg_size))
    }

    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        use split::Follow::{Same, Whole};
        let outer = if node.op == sys::GGML_OP_CONV_TRANSPOSE_1D { 1 } else { 2 };
        vec![
            split::Axis { dim: outer + 1, step: 1, sources: vec![Whole, Same(outer + 1)] },
            split::Axis { dim: outer, step: 1, sources: vec![Same(outer), Whole] },
        ]
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for ty in [Type::F32, Type::F16] {
            for (k, stride) in [(1, 1), (3, 1), (3, 2), (2, 3), (5, 2)] {
                cases.push(Case::new(format!("1-D {ty}, kernel {k}, stride {stride}"), move |m| {
                    m.conv_transpose_1d(m.input(ty, [k, 5, 7, 1]), m.input(Type::F32, [197, 7, 1, 1]), stride, 0, 1)
                }));
                cases.push(Case::new(format!("2-D {ty}, kernel {k}, stride {stride}"), move |m| {
                    m.conv_transpose_2d_p0(m.input(ty, [k, 3, 6, 4]), m.input(Type::F32, [13, 9, 4, 2]), stride)
                }));
            }
        }
        cases
    }
}
