//! IM2COL, IM2COL_3D and IM2COL_BACK: images as rows of what lies below a kernel at each of its places, and back.

use anyhow::Result;

use super::bind::{read, write};
use super::{Case, Planner, Room, elem, grid, split};
use crate::ggml::{Node, Tensor, Type, sys};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct Im2Col;
pub(super) static ROOM: Im2Col = Im2Col;

const WG_SIZE: u32 = 256;

/// Strides, padding and dilation in up to three dimensions, and how many there are.
struct Steps {
    dims: usize,
    stride: [i32; 3],
    pad: [i32; 3],
    dilation: [i32; 3],
}

impl Steps {
    fn read(node: &Node) -> Result<Self> {
        let p = |i| node.params.i32(i);
        let steps = if node.op == sys::GGML_OP_IM2COL_3D {
            Self { dims: 3, stride: [p(0), p(1), p(2)], pad: [p(3), p(4), p(5)], dilation: [p(6), p(7), p(8)] }
        } else if p(6) == 1 {
            Self { dims: 2, stride: [p(0), p(1), 1], pad: [p(2), p(3), 0], dilation: [p(4), p(5), 1] }
        } else {
            Self { dims: 1, stride: [p(0), 1, 1], pad: [p(2), 0, 0], dilation: [p(4), 1, 1] }
        };
        if steps.stride.iter().any(|&s| s <= 0) {
            crate::unsupported!("strides {:?}", steps.stride);
        }
        Ok(steps)
    }
}

/// Lengths and byte strides of an image: width, height, depth, channel, batch.
struct Image {
    ne: [u64; 3],
    channels: u64,
    nb: [u32; 3],
    channel: u32,
    batch: u32,
}

impl Image {
    /// `channels`: of a batch, where a dimension counts both.
    fn new(t: &Tensor, dims: usize, channels: u64, nb: [u32; 4]) -> Self {
        match dims {
            1 => Self { ne: [t.ne[0], 1, 1], channels: t.ne[1], nb: [nb[0], 0, 0], channel: nb[1], batch: nb[2] },
            2 => Self { ne: [t.ne[0], t.ne[1], 1], channels: t.ne[2], nb: [nb[0], nb[1], 0], channel: nb[2], batch: nb[3] },
            _ => {
                let batch = (channels * u64::from(nb[3])).min(u64::from(u32::MAX)) as u32;
                Self { ne: [t.ne[0], t.ne[1], t.ne[2]], channels, nb: [nb[0], nb[1], nb[2]], channel: nb[3], batch }
            }
        }
    }
}

/// Lengths of a kernel.
fn kernel(t: &Tensor, dims: usize) -> [u64; 3] {
    [0, 1, 2].map(|d| if d < dims { t.ne[d] } else { 1 })
}

impl Room for Im2Col {
    type Choice = ();

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<()> {
        let steps = Steps::read(node)?;
        if node.op == sys::GGML_OP_IM2COL_BACK {
            elem::need(node.source(0)?, Type::F32, "a source")?;
            elem::need_rows(node.source(0)?, "a source")?;
            return elem::need(&node.dst, Type::F32, "a result");
        }
        elem::need_float(node.source(1)?)?;
        elem::need_float(&node.dst)?;
        elem::need_rows(&node.dst, "a result")?;
        if steps.dims == 3 && (node.params.i32(9) <= 0 || node.source(1)?.ne[3] % u64::from(node.params.u32(9)) != 0) {
            crate::unsupported!("{} channels in {}", node.params.i32(9), node.source(1)?.ne[3]);
        }
        Ok(())
    }

    fn plan(&self, node: &Node, _choice: &(), planner: &mut Planner<'_>) -> Result<()> {
        if node.op == sys::GGML_OP_IM2COL_BACK { back(node, planner) } else { forth(node, planner) }
    }

    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        use split::Follow::{Same, Whole};
        let axis = |dim, source| split::Axis { dim, step: 1, sources: vec![Whole, source] };
        // Places know where they begin; batches go with the image's.
        match (node.op, Steps::read(node).map_or(0, |s| s.dims)) {
            (sys::GGML_OP_IM2COL_BACK, _) | (_, 0) => Vec::new(),
            (_, 1) => vec![axis(2, Same(2)), axis(1, Whole)],
            (_, 2) => vec![axis(3, Same(3)), axis(2, Whole), axis(1, Whole)],
            _ => vec![axis(3, Whole), axis(2, Whole), axis(1, Whole)],
        }
    }

    fn cases(&self) -> Vec<Case> {
        cases()
    }
}

fn forth(node: &Node, planner: &mut Planner<'_>) -> Result<()> {
    let (src, dst) = (node.source(1)?, &node.dst);
    let steps = Steps::read(node)?;
    let caps = planner.caps();
    let vector = elem::vector_rows(dst, caps);
    let (ws, wd) = (elem::word(src.ty, caps, false, false), elem::word(dst.ty, caps, vector, true));
    let bound = planner.bind(&[read("src", src, ws), write("dst", dst, wd)])?;
    let (s, d) = (bound.view("src", src)?, bound.view("dst", dst)?);
    let image = Image::new(src, steps.dims, u64::from(node.params.u32(9)), s.nb);
    let [kernel0, kernel1, kernel2] = kernel(node.source(0)?, steps.dims).map(|n| n as u32);
    // In one dimension the batches are where the height is otherwise.
    let height = if steps.dims == 1 { [1, 0, 0] } else { [dst.ne[2], node.first[2], u64::from(d.nb[2])] };
    let batch = match steps.dims {
        1 => [dst.ne[2], 0, u64::from(d.nb[2])],
        2 => [dst.ne[3], 0, u64::from(d.nb[3])],
        _ => [dst.ne[3], node.first[3], u64::from(d.nb[3])],
    };
    let depth = match steps.dims {
        3 => {
            (image.ne[2] as i64 + 2 * i64::from(steps.pad[2]) - i64::from(steps.dilation[2]) * (i64::from(kernel2) - 1) - 1)
                / i64::from(steps.stride[2])
                + 1
        }
        _ => 1,
    };
    let groups = grid::groups(dst.ne[0], 4);
    let count = groups * dst.ne[1] * height[0] * batch[0];
    let (Steps { stride, pad, dilation, .. }, wg_size) = (steps, WG_SIZE.min(caps.max_invocations));
    let params = params::im2col::Params {
        count: count as u32,
        groups: groups as u32,
        ne0: dst.ne[0] as u32,
        ne1: dst.ne[1] as u32,
        ne2: height[0] as u32,
        depth: depth.max(1) as u32,
        first1: node.first[1] as u32,
        first2: height[1] as u32,
        first3: batch[1] as u32,
        width: image.ne[0] as u32,
        height: image.ne[1] as u32,
        deep: image.ne[2] as u32,
        kernel0,
        kernel1,
        kernel2,
        stride0: stride[0],
        stride1: stride[1],
        stride2: stride[2],
        pad0: pad[0],
        pad1: pad[1],
        pad2: pad[2],
        dilation0: dilation[0],
        dilation1: dilation[1],
        dilation2: dilation[2],
        src_offset: s.offset,
        src_width: image.nb[0],
        src_height: image.nb[1],
        src_depth: image.nb[2],
        src_channel: image.channel,
        src_batch: image.batch,
        dst_offset: d.offset,
        dst_nb1: d.nb[1],
        dst_nb2: height[2] as u32,
        dst_nb3: batch[2] as u32,
    };
    let variant =
        elem::define(Variant::new("im2col").constant("wg_size", wg_size).flag("VEC", vector), &[("SRC", src.ty, ws), ("DST", dst.ty, wd)]);
    planner.dispatch(variant, &bound, &params, grid::groups(count, wg_size))
}

fn back(node: &Node, planner: &mut Planner<'_>) -> Result<()> {
    let (src, dst) = (node.source(0)?, &node.dst);
    let steps = Steps::read(node)?;
    let wg_size = WG_SIZE.min(planner.caps().max_invocations);
    let bound = planner.bind(&[read("src", src, "f32"), write("dst", dst, "f32")])?;
    let (s, d) = (bound.view("src", src)?, bound.view("dst", dst)?);
    let image = Image::new(dst, steps.dims, dst.ne[2], d.nb);
    let [kernel0, kernel1, _] = kernel(node.source(1)?, steps.dims).map(|n| n as u32);
    let flat = steps.dims == 1;
    let params = params::im2col_back::Params {
        count: dst.elements() as u32,
        width: image.ne[0] as u32,
        height: image.ne[1] as u32,
        channels: image.channels as u32,
        places0: src.ne[1] as u32,
        places1: if flat { 1 } else { src.ne[2] as u32 },
        kernel0,
        kernel1,
        stride0: steps.stride[0],
        stride1: steps.stride[1],
        pad0: steps.pad[0],
        pad1: steps.pad[1],
        dilation0: steps.dilation[0],
        dilation1: steps.dilation[1],
        src_offset: s.offset,
        src_place0: s.nb[1],
        src_place1: if flat { 0 } else { s.nb[2] },
        src_batch: if flat { s.nb[2] } else { s.nb[3] },
        dst_offset: d.offset,
        dst_width: image.nb[0],
        dst_height: image.nb[1],
        dst_channel: image.channel,
        dst_batch: image.batch,
    };
    planner.dispatch(Variant::new("im2col_back").constant("wg_size", wg_size), &bound, &params, grid::groups(dst.elements(), wg_size))
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (input, ty) in [(Type::F32, Type::F32), (Type::F32, Type::F16), (Type::F16, Type::F16)] {
        for (s, p, d) in [(1, 1, 1), (3, 0, 2), (2, 4, 1)] {
            cases.push(Case::new(format!("2-D {input} to {ty}, stride {s}, pad {p}, dilation {d}"), move |m| {
                let kernel = m.input(Type::F16, [3, 2, 5, 4]);
                m.im2col(kernel, m.input(input, [20, 11, 5, 3]), s, 1, p, 1, d, 1, true, ty.info().id)
            }));
            cases.push(Case::new(format!("1-D {input} to {ty}, stride {s}, pad {p}, dilation {d}"), move |m| {
                let kernel = m.input(Type::F16, [3, 8, 4, 1]);
                m.im2col(kernel, m.input(input, [20, 8, 3, 1]), s, 0, p, 0, d, 0, false, ty.info().id)
            }));
            if input == Type::F16 {
                continue; // not on the CPU in three dimensions
            }
            cases.push(Case::new(format!("3-D {input} to {ty}, stride {s}, pad {p}, dilation {d}"), move |m| {
                let kernel = m.input(Type::F16, [3, 2, 3, 4 * 2]);
                m.im2col_3d(kernel, m.input(input, [12, 9, 10, 4 * 2]), 4, s, 1, s, p, 1, p, d, 1, d, ty.info().id)
            }));
        }
    }
    for (s, p, d) in [(1, 1, 1), (3, 0, 2), (2, 4, 1)] {
        let out = move |n: i64, k: i64| (n + 2 * p - d * (k - 1) - 1) / s + 1;
        let (s, p, d) = (s as i32, p as i32, d as i32);
        cases.push(Case::new(format!("2-D back, stride {s}, pad {p}, dilation {d}"), move |m| {
            let grad = m.input(Type::F32, [3 * 2 * 5, out(20, 3), out(11, 2), 3]);
            m.im2col_back(grad, m.input(Type::F32, [3, 2, 5, 4]), [20, 11, 5, 3], [s, s, p, p, d, d], true)
        }));
        cases.push(Case::new(format!("1-D back, stride {s}, pad {p}, dilation {d}"), move |m| {
            let grad = m.input(Type::F32, [3 * 8, out(20, 3), 2, 1]);
            m.im2col_back(grad, m.input(Type::F16, [3, 8, 4, 1]), [20, 8, 2, 1], [s, 1, p, 0, d, 1], false)
        }));
    }
    cases
}
