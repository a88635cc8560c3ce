//! UPSCALE: a tensor at another size, by its nearest elements, or linear or cubic interpolation in the first two dimensions.

use anyhow::Result;

use super::bind::{read, write};
use super::split::{Axis, Follow};
use super::{Case, Planner, Room, elem, grid};
use crate::ggml::{Node, Type, sys};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct Upscale;
pub(super) static ROOM: Upscale = Upscale;

const WG_SIZE: u32 = 256;

impl Room for Upscale {
    /// The shader's mode.
    type Choice = &'static str;

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<&'static str> {
        elem::need_float(node.source(0)?)?;
        elem::need_float(&node.dst)?;
        if node.source(0)?.is_empty() {
            crate::unsupported!("{:?} from nothing", node.dst.ne);
        }
        let flags = node.params.u32(0);
        Ok(match flags & 0xff {
            sys::GGML_SCALE_MODE_NEAREST => "nearest",
            sys::GGML_SCALE_MODE_BILINEAR if flags & sys::GGML_SCALE_FLAG_ANTIALIAS != 0 => "antialias",
            sys::GGML_SCALE_MODE_BILINEAR => "bilinear",
            sys::GGML_SCALE_MODE_BICUBIC => "bicubic",
            mode => crate::unsupported!("the mode {mode} of UPSCALE"),
        })
    }

    fn plan(&self, node: &Node, &mode: &&'static str, planner: &mut Planner<'_>) -> Result<()> {
        let (src, dst) = (node.source(0)?, &node.dst);
        let caps = planner.caps();
        let (src_word, dst_word) = (elem::word(src.ty, caps, false, false), elem::word(dst.ty, caps, false, true));
        let bound = planner.bind(&[read("src", src, src_word), write("dst", dst, dst_word)])?;
        let corners = node.params.u32(0) & sys::GGML_SCALE_FLAG_ALIGN_CORNERS != 0;
        let factor = |d: usize| {
            let less = if corners && d < 2 && src.ne[d] > 1 && dst.ne[d] > 1 { 1 } else { 0 };
            (dst.ne[d] - less) as f32 / (src.ne[d] - less) as f32
        };
        let params = params::upscale::Params {
            count: dst.elements() as u32,
            ne0: dst.ne[0] as u32,
            ne1: dst.ne[1] as u32,
            ne2: dst.ne[2] as u32,
            src_ne0: src.ne[0] as i32,
            src_ne1: src.ne[1] as i32,
            src_ne2: src.ne[2] as i32,
            src_ne3: src.ne[3] as i32,
            factor0: factor(0),
            factor1: factor(1),
            factor2: factor(2),
            factor3: factor(3),
            centre: if corners { 0.0 } else { 0.5 },
            src_view: bound.view("src", src)?,
            dst_view: bound.view("dst", dst)?,
        };
        let wg_size = WG_SIZE.min(caps.max_invocations);
        let variant = Variant::new("upscale").define("MODE", mode).constant("wg_size", wg_size);
        let variant = elem::define(variant, &[("SRC", src.ty, src_word), ("DST", dst.ty, dst_word)]);
        planner.dispatch(variant, &bound, &params, grid::groups(dst.elements(), wg_size))
    }

    fn axes(&self, node: &Node) -> Vec<Axis> {
        let Ok(src) = node.source(0) else { return Vec::new() };
        // Elsewhere a piece would have another factor.
        let whole = |d: &usize| src.ne[*d] > 0 && node.dst.ne[*d].is_multiple_of(src.ne[*d]);
        [3, 2].into_iter().filter(whole).map(|dim| Axis { dim, step: 1, sources: vec![Follow::Group(dim)] }).collect()
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        let modes = [
            ("nearest", sys::GGML_SCALE_MODE_NEAREST),
            ("bilinear", sys::GGML_SCALE_MODE_BILINEAR),
            ("antialias", sys::GGML_SCALE_MODE_BILINEAR | sys::GGML_SCALE_FLAG_ANTIALIAS),
            ("bicubic", sys::GGML_SCALE_MODE_BICUBIC),
        ];
        for (name, mode) in modes {
            for to in [[10, 14, 3, 2], [15, 21, 6, 2], [3, 4, 3, 2], [5, 7, 3, 4], [1, 29, 2, 2]] {
                for corners in [0, sys::GGML_SCALE_FLAG_ALIGN_CORNERS] {
                    cases.push(Case::new(format!("{name} to {to:?}, corners {corners}"), move |m| {
                        m.interpolate(m.input(Type::F32, [5, 7, 3, 2]), to[0], to[1], to[2], to[3], mode | corners)
                    }));
                }
            }
            cases.push(Case::new(format!("{name} of a permuted tensor"), move |m| {
                let a = m.permute(m.input(Type::F32, [3, 5, 7, 2]), [2, 0, 1, 3]);
                m.interpolate(a, 9, 11, 3, 2, mode)
            }));
        }
        cases.push(Case::new("nearest at many factors", |m| {
            let mut sum = None;
            for from in [3, 7, 10, 13, 49, 100, 255] {
                let row = m.interpolate(m.input(Type::F32, [from, 1, 1, 1]), 1000, 1, 1, 1, sys::GGML_SCALE_MODE_NEAREST);
                sum = Some(sum.map_or(row, |s| m.add(s, row)));
            }
            sum.unwrap_or_else(|| m.arange(0.0, 1.0, 1.0))
        }));
        cases
    }
}
