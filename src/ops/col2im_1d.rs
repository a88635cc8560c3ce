//! COL2IM_1D on F32, F16, BF16: columns that overlap are added up to channels of samples.

use anyhow::Result;

use super::bind::{read, write};
use super::{Case, Planner, Room, elem, grid};
use crate::ggml::{Node, Type};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct Col2Im1d;
pub(super) static ROOM: Col2Im1d = Col2Im1d;

const WG_SIZE: u32 = 256;

impl Room for Col2Im1d {
    type Choice = ();

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<()> {
        let src = node.source(0)?;
        for t in [src, &node.dst] {
            elem::need_float(t)?;
            elem::need_rows(t, "a tensor")?;
        }
        let [stride, channels, crop] = [0, 1, 2].map(|i| node.params.i32(i));
        if stride <= 0 || channels <= 0 || crop < 0 || src.ne[0] % u64::from(channels.unsigned_abs()) != 0 {
            crate::unsupported!("{channels} channels, stride {stride}, crop {crop}");
        }
        Ok(())
    }

    fn plan(&self, node: &Node, _choice: &(), planner: &mut Planner<'_>) -> Result<()> {
        let (src, dst) = (node.source(0)?, &node.dst);
        let caps = planner.caps();
        let (ws, wd) = (elem::word(src.ty, caps, false, false), elem::word(dst.ty, caps, false, true));
        let bound = planner.bind(&[read("src", src, ws), write("dst", dst, wd)])?;
        let (s, d) = (bound.view("src", src)?, bound.view("dst", dst)?);
        let params = params::col2im_1d::Params {
            count: dst.elements() as u32,
            length: dst.ne[0] as u32,
            columns: src.ne[1] as u32,
            kernel: src.ne[0] as u32 / node.params.u32(1),
            stride: node.params.u32(0),
            crop: node.params.u32(2),
            src_offset: s.offset,
            src_nb1: s.nb[1],
            dst_offset: d.offset,
            dst_nb1: d.nb[1],
        };
        let wg_size = WG_SIZE.min(caps.max_invocations);
        let variant = elem::define(Variant::new("col2im_1d").constant("wg_size", wg_size), &[("SRC", src.ty, ws), ("DST", dst.ty, wd)]);
        planner.dispatch(variant, &bound, &params, grid::groups(dst.elements(), wg_size))
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for ty in [Type::F32, Type::F16, Type::BF16] {
            for (channels, kernel, columns, stride, crop) in
                [(1, 4, 9, 2, 0), (32, 16, 197, 8, 4), (3, 3, 50, 5, 0), (5, 1, 7, 1, 0), (2, 9, 70, 2, 6)]
            {
                cases.push(
                    Case::new(format!("{ty} {channels} channels, kernel {kernel}, stride {stride}, crop {crop}"), move |m| {
                        m.col2im_1d(m.input(ty, [kernel * channels, columns, 1, 1]), stride, channels as i32, crop)
                    })
                    .tolerance(if ty == Type::F32 { 1e-7 } else { 1e-5 }),
                );
            }
        }
        cases
    }
}
