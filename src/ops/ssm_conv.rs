//! SSM_CONV: the short convolution before a state space model, each channel with its own kernel. F32.

use anyhow::Result;

use super::bind::{read, write};
use super::{Case, Planner, Room, elem, grid, split};
use crate::ggml::{Node, Type};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct SsmConv;
pub(super) static ROOM: SsmConv = SsmConv;

const WG_SIZE: u32 = 64;

/// The longest kernel whose weights stay in registers.
const MOST_WEIGHTS: u64 = 8;

/// Tokens of a channel that one invocation computes.
const TOKENS: u64 = 8;

impl Room for SsmConv {
    type Choice = Variant;

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<Variant> {
        let (src, weight) = (node.source(0)?, node.source(1)?);
        for t in [src, weight, &node.dst] {
            elem::need(t, Type::F32, "a tensor")?;
        }
        let width = weight.ne[0];
        let variant = Variant::new("ssm_conv").constant("wg_size", WG_SIZE).number("TOKENS", tokens(node));
        Ok(if width > MOST_WEIGHTS { variant } else { variant.number("WIDTH", width) })
    }

    fn plan(&self, node: &Node, choice: &Variant, planner: &mut Planner<'_>) -> Result<()> {
        let (src, weight, dst) = (node.source(0)?, node.source(1)?, &node.dst);
        let bound = planner.bind(&[read("src", src, "f32"), read("weight", weight, "f32"), write("dst", dst, "f32")])?;
        let (s, w, d) = (bound.view("src", src)?, bound.view("weight", weight)?, bound.view("dst", dst)?);
        let params = params::ssm_conv::Params {
            channels: dst.ne[0] as u32,
            tokens: dst.ne[1] as u32,
            sequences: dst.ne[2] as u32,
            width: weight.ne[0] as u32,
            first: node.first[1] as u32,
            src_offset: s.offset,
            src_nb0: s.nb[0],
            src_nb1: s.nb[1],
            src_nb2: s.nb[2],
            weight_offset: w.offset,
            weight_nb0: w.nb[0],
            weight_nb1: w.nb[1],
            dst_offset: d.offset,
            dst_nb0: d.nb[0],
            dst_nb1: d.nb[1],
            dst_nb2: d.nb[2],
        };
        let groups = grid::groups(dst.ne[0], WG_SIZE) * dst.ne[1].div_ceil(tokens(node)) * dst.ne[2];
        planner.dispatch(choice.clone(), &bound, &params, groups)
    }

    fn axes(&self, _node: &Node) -> Vec<split::Axis> {
        use split::Follow::{Same, Whole};
        // Neighbouring tokens share what they read, so the source stays whole where those are cut, and becomes smaller with the channels.
        vec![
            split::Axis { dim: 2, step: 1, sources: vec![Same(2), Whole] },
            split::Axis { dim: 1, step: 1, sources: vec![Whole, Whole] },
            split::Axis { dim: 0, step: 1, sources: vec![Same(1), Same(1)] },
        ]
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for width in [1, 3, 4, 9] {
            for (channels, tokens, sequences) in [(1024, 1, 1), (65, 5, 4), (96, 64, 2), (1, 1, 1)] {
                cases.push(Case::new(
                    format!("kernel of {width}, {channels} channels, {tokens} tokens, {sequences} sequences"),
                    move |m| {
                        let src = m.input(Type::F32, [width - 1 + tokens, channels, sequences, 1]);
                        m.ssm_conv(src, m.input(Type::F32, [width, channels, 1, 1]))
                    },
                ));
            }
        }
        cases.push(Case::new("some of the sequences", |m| {
            let all = m.input(Type::F32, [11, 70, 6, 1]);
            let nb = m.nb(all);
            m.ssm_conv(m.view(all, [11, 70, 2, 1], [nb[1], 2 * nb[2], nb[3]], nb[2]), m.input(Type::F32, [4, 70, 1, 1]))
        }));
        cases.push(Case::new("70000 sequences", |m| m.ssm_conv(m.input(Type::F32, [4, 2, 70_000, 1]), m.input(Type::F32, [4, 2, 1, 1]))));
        cases.push(Case::new("with bias and SILU", |m| {
            let sum =
                m.add(m.ssm_conv(m.input(Type::F32, [20, 96, 2, 1]), m.input(Type::F32, [4, 96, 1, 1])), m.input(Type::F32, [96, 1, 1, 1]));
            m.unary(sum, crate::ggml::sys::GGML_UNARY_OP_SILU)
        }));
        cases
    }
}

/// A single token needs no loop.
fn tokens(node: &Node) -> u64 {
    if node.dst.ne[1] == 1 { 1 } else { TOKENS }
}
