//! CONV_2D_DW: convolution of each channel with its own kernel, channels before or after width and height in memory.

use anyhow::Result;

use super::bind::{read, write};
use super::{Case, Planner, Room, elem, grid, split};
use crate::ggml::{Node, Type};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct Conv2dDw;
pub(super) static ROOM: Conv2dDw = Conv2dDw;

const WG_SIZE: u32 = 256;

impl Room for Conv2dDw {
    type Choice = ();

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<()> {
        [node.source(0)?, node.source(1)?, &node.dst].into_iter().try_for_each(elem::need_float)
    }

    fn plan(&self, node: &Node, _choice: &(), planner: &mut Planner<'_>) -> Result<()> {
        let (kernel, src, dst) = (node.source(0)?, node.source(1)?, &node.dst);
        let caps = planner.caps();
        let word = |t: &crate::ggml::Tensor, write| elem::word(t.ty, caps, false, write);
        let (wk, ws, wd) = (word(kernel, false), word(src, false), word(dst, true));
        let bound = planner.bind(&[read("kernel", kernel, wk), read("src", src, ws), write("dst", dst, wd)])?;
        let params = params::conv_2d_dw::Params {
            count: dst.elements() as u32,
            ne0: dst.ne[0] as u32,
            ne1: dst.ne[1] as u32,
            ne2: dst.ne[2] as u32,
            width: src.ne[0] as u32,
            height: src.ne[1] as u32,
            kernel0: kernel.ne[0] as u32,
            kernel1: kernel.ne[1] as u32,
            stride0: node.params.i32(0),
            stride1: node.params.i32(1),
            pad0: node.params.i32(2),
            pad1: node.params.i32(3),
            dilation0: node.params.i32(4),
            dilation1: node.params.i32(5),
            kernel_view: bound.view("kernel", kernel)?,
            src_view: bound.view("src", src)?,
            dst_view: bound.view("dst", dst)?,
        };
        let wg_size = WG_SIZE.min(caps.max_invocations);
        let variant = Variant::new("conv_2d_dw").constant("wg_size", wg_size).flag("CHANNELS_FIRST", dst.nb[2] < dst.nb[0]);
        let variant = elem::define(variant, &[("KERNEL", kernel.ty, wk), ("SRC", src.ty, ws), ("DST", dst.ty, wd)]);
        planner.dispatch(variant, &bound, &params, grid::groups(dst.elements(), wg_size))
    }

    fn axes(&self, _node: &Node) -> Vec<split::Axis> {
        use split::Follow::{Same, Whole};
        vec![
            split::Axis { dim: 3, step: 1, sources: vec![Whole, Same(3)] },
            split::Axis { dim: 2, step: 1, sources: vec![Same(3), Same(2)] },
        ]
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for ty in [Type::F32, Type::F16] {
            for (s, p, d) in [(1, 1, 1), (3, 0, 2), (2, 4, 1)] {
                cases.push(Case::new(format!("{ty}, stride {s}, pad {p}, dilation {d}"), move |m| {
                    m.conv_2d_dw_direct(m.input(ty, [3, 2, 1, 9]), m.input(Type::F32, [17, 34, 9, 2]), s, 1, p, 1, d, 1)
                }));
                cases.push(Case::new(format!("{ty}, channels first, stride {s}, pad {p}, dilation {d}"), move |m| {
                    let kernel = m.permute(m.input(ty, [9, 1, 3, 2]), [3, 2, 0, 1]);
                    let image = m.permute(m.input(Type::F32, [9, 17, 34, 2]), [2, 0, 1, 3]);
                    m.conv_2d_dw_direct(kernel, image, s, 1, p, 1, d, 1)
                }));
            }
        }
        cases
    }
}
