//! DSV4_HC_COMB, DSV4_HC_PRE, DSV4_HC_POST: the hyper-connections of DeepSeek V4, streams of each token that are mixed. All F32.

use anyhow::Result;

use super::bind::{read, write};
use super::split::{Axis, Follow};
use super::{Case, Planner, Room, elem, grid};
use crate::ggml::make::Fill;
use crate::ggml::{Node, Type, sys};
use crate::gpu::Caps;
use crate::shader::{Variant, View, params};

pub(super) struct Dsv4Hc;
pub(super) static ROOM: Dsv4Hc = Dsv4Hc;

const WG_SIZE: u32 = 256;
/// A token of DSV4_HC_COMB is much work for one invocation.
const COMB_SIZE: u32 = 32;

impl Room for Dsv4Hc {
    type Choice = ();

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<()> {
        for t in node.sources().chain([&node.dst]) {
            elem::need(t, Type::F32, "a tensor")?;
        }
        node.source(if node.op == sys::GGML_OP_DSV4_HC_PRE { 1 } else { 2 })?;
        if node.op == sys::GGML_OP_DSV4_HC_COMB && node.dst.ne[..2] != [4, 4] {
            crate::unsupported!("{} by {} streams (4 by 4 are needed)", node.dst.ne[0], node.dst.ne[1]);
        }
        Ok(())
    }

    fn plan(&self, node: &Node, &(): &(), planner: &mut Planner<'_>) -> Result<()> {
        match node.op {
            sys::GGML_OP_DSV4_HC_COMB => comb(node, planner),
            sys::GGML_OP_DSV4_HC_PRE => pre(node, planner),
            _ => post(node, planner),
        }
    }

    fn axes(&self, node: &Node) -> Vec<Axis> {
        use Follow::{Same, Whole};
        let axis = |dim, sources: &[Follow]| Axis { dim, step: 1, sources: sources.to_vec() };
        match node.op {
            sys::GGML_OP_DSV4_HC_COMB => vec![axis(2, &[Same(1), Whole, Whole])],
            sys::GGML_OP_DSV4_HC_PRE if gated(node) => vec![axis(1, &[Same(2), Same(2)]), axis(0, &[Same(0), Same(0)])],
            sys::GGML_OP_DSV4_HC_PRE => vec![axis(1, &[Same(2), Same(1)]), axis(0, &[Same(0), Whole])],
            _ => vec![axis(2, &[Same(1), Same(2), Same(1), Same(2)]), axis(0, &[Same(0), Same(0), Whole, Whole])],
        }
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for (tokens, n_iter, eps) in [(1, 1, 1e-6), (17, 4, 1e-6), (33, 20, 1e-2)] {
            cases.push(Case::new(format!("comb of {tokens} tokens, {n_iter} times"), move |m| {
                let mixes = m.filled(Type::F32, [24, tokens, 1, 1], Fill::Uniform(-4.0, 4.0));
                m.dsv4_hc_comb(mixes, m.input(Type::F32, [3, 1, 1, 1]), m.input(Type::F32, [24, 1, 1, 1]), eps, n_iter)
            }));
        }
        cases.push(Case::new("comb of views", |m| {
            let mixes = m.input(Type::F32, [31, 9, 1, 1]);
            let nb = m.nb(mixes);
            let mixes = m.view(mixes, [24, 9, 1, 1], [nb[1], nb[2], nb[3]], 12);
            let scale = m.permute(m.input(Type::F32, [1, 4, 1, 1]), [1, 0, 2, 3]);
            m.dsv4_hc_comb(mixes, scale, m.input(Type::F32, [24, 1, 1, 1]), 1e-6, 3)
        }));
        for (embd, streams, tokens) in [(31, 4, 17), (256, 4, 5), (64, 1, 3), (8, 3, 70_000)] {
            cases.push(Case::new(format!("pre {embd} of {streams} streams, {tokens} tokens"), move |m| {
                m.dsv4_hc_pre(m.input(Type::F32, [embd, streams, tokens, 1]), m.input(Type::F32, [streams, tokens, 1, 1]))
            }));
            cases.push(Case::new(format!("gated pre {embd} of {streams} streams, {tokens} tokens"), move |m| {
                let gate = m.filled(Type::F32, [embd, streams, tokens, 1], Fill::Uniform(-9.0, 9.0));
                m.dsv4_hc_pre_gated(m.input(Type::F32, [embd, streams, tokens, 1]), gate, 0.25)
            }));
            for mixed in [false, true] {
                cases.push(Case::new(format!("post {embd} of {streams} streams, {tokens} tokens, mixed: {mixed}"), move |m| {
                    let [x, residual] = [[embd, tokens, 1, 1], [embd, streams, tokens, 1]].map(|ne| m.input(Type::F32, ne));
                    let post = m.input(Type::F32, [streams, tokens, 1, 1]);
                    m.dsv4_hc_post(x, residual, post, mixed.then(|| m.input(Type::F32, [streams, streams, tokens, 1])))
                }));
            }
        }
        cases.push(Case::new("pre of permuted tensors", |m| {
            let x = m.permute(m.input(Type::F32, [4, 32, 6, 1]), [1, 0, 2, 3]);
            m.dsv4_hc_pre(x, m.permute(m.input(Type::F32, [6, 4, 1, 1]), [1, 0, 2, 3]))
        }));
        cases.push(Case::new("gated pre of a tensor with itself", |m| {
            let x = m.permute(m.input(Type::F32, [32, 6, 4, 1]), [0, 2, 1, 3]);
            m.dsv4_hc_pre_gated(x, x, 1.0)
        }));
        cases.push(Case::new("post of permuted tensors", |m| {
            let x = m.permute(m.input(Type::F32, [6, 32, 1, 1]), [1, 0, 2, 3]);
            let residual = m.permute(m.input(Type::F32, [32, 6, 4, 1]), [0, 2, 1, 3]);
            let comb = m.permute(m.input(Type::F32, [4, 4, 6, 1]), [1, 0, 2, 3]);
            m.dsv4_hc_post(x, residual, m.input(Type::F32, [4, 6, 1, 1]), Some(comb))
        }));
        cases
    }
}

/// Whether a DSV4_HC_PRE has a weight for each element.
fn gated(node: &Node) -> bool {
    node.params.i32(1) != 0
}

fn comb(node: &Node, planner: &mut Planner<'_>) -> Result<()> {
    let (mixes, scale, base, dst) = (node.source(0)?, node.source(1)?, node.source(2)?, &node.dst);
    let bound =
        planner.bind(&[read("mixes", mixes, "f32"), read("scale", scale, "f32"), read("base", base, "f32"), write("dst", dst, "f32")])?;
    let [m, s, b, d] = [bound.view("mixes", mixes)?, bound.view("scale", scale)?, bound.view("base", base)?, bound.view("dst", dst)?];
    let params = params::dsv4_hc_comb::Params {
        count: dst.ne[2] as u32,
        n_iter: node.params.i32(1),
        eps: node.params.f32(0),
        mixes_offset: m.offset,
        mixes_nb0: m.nb[0],
        mixes_nb1: m.nb[1],
        scale_offset: s.offset + 2 * s.nb[0],
        base_offset: b.offset,
        base_nb0: b.nb[0],
        dst_offset: d.offset,
        dst_nb0: d.nb[0],
        dst_nb1: d.nb[1],
        dst_nb2: d.nb[2],
    };
    planner.dispatch(Variant::new("dsv4_hc_comb").constant("wg_size", COMB_SIZE), &bound, &params, grid::groups(dst.ne[2], COMB_SIZE))
}

fn pre(node: &Node, planner: &mut Planner<'_>) -> Result<()> {
    let (x, weights, dst) = (node.source(0)?, node.source(1)?, &node.dst);
    let caps = planner.caps();
    let gated = gated(node);
    let vector = [x, dst].iter().all(|t| elem::vector_rows(t, caps)) && (!gated || elem::vector_rows(weights, caps));
    let word = elem::word(Type::F32, caps, vector, false);
    let weight = elem::word(Type::F32, caps, vector && gated, false);
    let bound = planner.bind(&[read("x", x, word), read("weights", weights, weight), write("dst", dst, word)])?;
    let [x_view, w, d] = [bound.view("x", x)?, bound.view("weights", weights)?, bound.view("dst", dst)?];
    let wide = if vector { 4 } else { 1 };
    let count = dst.elements() / u64::from(wide);
    let params = params::dsv4_hc_pre::Params {
        count: count as u32,
        ne0: dst.ne[0] as u32 / wide,
        streams: x.ne[1] as u32,
        scale: node.params.f32(0),
        x_offset: x_view.offset,
        x_nb0: x_view.nb[0] * wide,
        x_nb1: x_view.nb[1],
        x_nb2: x_view.nb[2],
        weights_offset: w.offset,
        weights_nb0: if gated { w.nb[0] * wide } else { w.nb[0] },
        weights_nb1: w.nb[1],
        weights_nb2: w.nb[2],
        dst_offset: d.offset,
        dst_nb0: d.nb[0] * wide,
        dst_nb1: d.nb[1],
    };
    let wg_size = WG_SIZE.min(caps.max_invocations);
    let variant = Variant::new("dsv4_hc_pre").constant("wg_size", wg_size).flag("VEC", vector).flag("GATED", gated);
    planner.dispatch(variant, &bound, &params, grid::groups(count, wg_size))
}

fn post(node: &Node, planner: &mut Planner<'_>) -> Result<()> {
    let (x, residual, post, dst) = (node.source(0)?, node.source(1)?, node.source(2)?, &node.dst);
    let comb = node.src[3].as_ref();
    let caps = planner.caps();
    let vector = [x, residual, dst].iter().all(|t| elem::vector_rows(t, caps));
    let word = elem::word(Type::F32, caps, vector, false);
    let mut operands = vec![read("x", x, word), read("residual", residual, word), read("post", post, "f32"), write("dst", dst, word)];
    operands.extend(comb.map(|c| read("comb", c, "f32")));
    let bound = planner.bind(&operands)?;
    let wide = if vector { 4 } else { 1 };
    let count = dst.elements() / wide;
    let params = params::dsv4_hc_post::Params {
        count: count as u32,
        ne0: (dst.ne[0] / wide) as u32,
        ne1: dst.ne[1] as u32,
        streams: residual.ne[1] as u32,
        x_view: bound.view("x", x)?,
        residual_view: bound.view("residual", residual)?,
        post_view: bound.view("post", post)?,
        comb_view: comb.map_or(Ok(View::default()), |c| bound.view("comb", c))?,
        dst_view: bound.view("dst", dst)?,
    };
    let wg_size = WG_SIZE.min(caps.max_invocations);
    let variant = Variant::new("dsv4_hc_post").constant("wg_size", wg_size).flag("VEC", vector).flag("COMB", comb.is_some());
    planner.dispatch(variant, &bound, &params, grid::groups(count, wg_size))
}
