//! POOL_1D, POOL_2D and POOL_2D_BACK: maxima and means of windows of floats.

use anyhow::Result;

use super::bind::{read, write};
use super::{Case, Planner, Room, elem, grid, split};
use crate::ggml::{Node, OpParams, Type, sys};
use crate::gpu::Caps;
use crate::shader::{Variant, View, params};

pub(super) struct Pool;
pub(super) static ROOM: Pool = Pool;

const WG_SIZE: u32 = 256;

/// Windows along width and height.
pub(super) struct Windows {
    kind: &'static str,
    kernel: [i32; 2],
    stride: [i32; 2],
    pad: [i32; 2],
}

impl Windows {
    fn read(op: sys::ggml_op, p: &OpParams) -> Result<Self> {
        let kind = match p.u32(0) {
            sys::GGML_OP_POOL_MAX => "max",
            sys::GGML_OP_POOL_AVG => "mean",
            other => crate::unsupported!("the kind {other}"),
        };
        let at = |i| p.i32(i);
        let windows = if op == sys::GGML_OP_POOL_1D {
            Self { kind, kernel: [at(1), 1], stride: [at(2), 1], pad: [at(3), 0] }
        } else {
            Self { kind, kernel: [at(1), at(2)], stride: [at(3), at(4)], pad: [at(5), at(6)] }
        };
        if windows.kernel.iter().chain(&windows.stride).any(|&n| n <= 0) || windows.pad.iter().any(|&n| n < 0) {
            crate::unsupported!("windows of {:?}, strides {:?}, padding {:?}", windows.kernel, windows.stride, windows.pad);
        }
        Ok(windows)
    }
}

impl Room for Pool {
    type Choice = Windows;

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<Windows> {
        elem::need(&node.dst, Type::F32, "a result")?;
        if node.op == sys::GGML_OP_POOL_2D_BACK {
            elem::need(node.source(0)?, Type::F32, "a source")?;
            elem::need_float(node.source(1)?)?;
        } else {
            elem::need_float(node.source(0)?)?;
        }
        Windows::read(node.op, &node.params)
    }

    fn plan(&self, node: &Node, windows: &Windows, planner: &mut Planner<'_>) -> Result<()> {
        if node.op == sys::GGML_OP_POOL_2D_BACK { back(node, windows, planner) } else { forth(node, windows, planner) }
    }

    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        let axis = |&dim: &usize| split::Axis { dim, step: 1, sources: vec![split::Follow::Same(dim); 2] };
        let dims = if node.op == sys::GGML_OP_POOL_1D { [3, 2, 1].as_slice() } else { &[3, 2] };
        dims.iter().map(axis).collect()
    }

    fn cases(&self) -> Vec<Case> {
        cases()
    }
}

fn forth(node: &Node, windows: &Windows, planner: &mut Planner<'_>) -> Result<()> {
    let (src, dst) = (node.source(0)?, &node.dst);
    let caps = planner.caps();
    let word = elem::word(src.ty, caps, false, false);
    let bound = planner.bind(&[read("src", src, word), write("dst", dst, "f32")])?;
    let params = params::pool::Params {
        count: dst.elements() as u32,
        ne0: dst.ne[0] as u32,
        ne1: dst.ne[1] as u32,
        ne2: dst.ne[2] as u32,
        width: src.ne[0] as u32,
        height: src.ne[1] as u32,
        kernel0: windows.kernel[0] as u32,
        kernel1: windows.kernel[1] as u32,
        stride0: windows.stride[0],
        stride1: windows.stride[1],
        pad0: windows.pad[0],
        pad1: windows.pad[1],
        // A mean in one dimension leaves the padding out.
        divisor: if node.op == sys::GGML_OP_POOL_1D { 0.0 } else { (windows.kernel[0] * windows.kernel[1]) as f32 },
        src_view: bound.view("src", src)?,
        dst_view: bound.view("dst", dst)?,
    };
    let wg_size = WG_SIZE.min(caps.max_invocations);
    let variant = Variant::new("pool").constant("wg_size", wg_size).define("KIND", windows.kind);
    let variant = elem::define(variant, &[("SRC", src.ty, word)]);
    planner.dispatch(variant, &bound, &params, grid::groups(dst.elements(), wg_size))
}

fn back(node: &Node, windows: &Windows, planner: &mut Planner<'_>) -> Result<()> {
    let (src, image, dst) = (node.source(0)?, node.source(1)?, &node.dst);
    let caps = planner.caps();
    let max = windows.kind == "max";
    let wg_size = WG_SIZE.min(caps.max_invocations);
    let mut variant = Variant::new("pool_back").constant("wg_size", wg_size).define("KIND", windows.kind);
    let mut operands = vec![read("src", src, "f32"), write("dst", dst, "f32")];
    if max {
        let word = elem::word(image.ty, caps, false, false);
        operands.push(read("image", image, word));
        variant = elem::define(variant, &[("IMAGE", image.ty, word)]);
    }
    let bound = planner.bind(&operands)?;
    let params = params::pool_back::Params {
        count: dst.elements() as u32,
        width: dst.ne[0] as u32,
        height: dst.ne[1] as u32,
        ne2: dst.ne[2] as u32,
        windows0: src.ne[0] as u32,
        windows1: src.ne[1] as u32,
        kernel0: windows.kernel[0],
        kernel1: windows.kernel[1],
        stride0: windows.stride[0],
        stride1: windows.stride[1],
        pad0: windows.pad[0],
        pad1: windows.pad[1],
        src_view: bound.view("src", src)?,
        image_view: if max { bound.view("image", image)? } else { View::default() },
        dst_view: bound.view("dst", dst)?,
    };
    planner.dispatch(variant, &bound, &params, grid::groups(dst.elements(), wg_size))
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (kind, name) in [(sys::GGML_OP_POOL_MAX, "max"), (sys::GGML_OP_POOL_AVG, "mean")] {
        for (k, s, p) in [(1, 1, 0), (3, 2, 1), (2, 3, 0), (3, 1, 1)] {
            for ty in [Type::F32, Type::F16] {
                cases.push(Case::new(format!("1-D {name} {ty}, kernel {k}, stride {s}, pad {p}"), move |m| {
                    m.pool_1d(m.input(ty, [17, 3, 2, 2]), kind, k, s, p)
                }));
                cases.push(Case::new(format!("2-D {name} {ty}, kernel {k}, stride {s}, pad {p}"), move |m| {
                    m.pool_2d(m.input(ty, [17, 11, 3, 2]), kind, k, 2, s, 1, p as f32, 1.0)
                }));
            }
            cases.push(Case::new(format!("2-D {name} back, kernel {k}, stride {s}, pad {p}"), move |m| {
                let image = m.input(Type::F32, [17, 11, 3, 1]);
                let grad = m.input(Type::F32, [i64::from((17 + 2 * p - k) / s + 1), 11 + 2 - 2 + 1, 3, 1]);
                m.pool_2d_back(grad, image, kind, k, 2, s, 1, p as f32, 1.0)
            }));
        }
    }
    cases
}
