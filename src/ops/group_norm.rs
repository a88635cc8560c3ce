//! GROUP_NORM on F32: each group of channels to mean 0 and variance 1; large groups in pieces.

use anyhow::Result;

use super::bind::{Operand, read_bytes, read_elementwise, write, write_bytes};
use super::norm::row_size;
use super::{Case, Planner, Room, elem, split};
use crate::ggml::{Node, Tensor, Type};
use crate::gpu::Caps;
use crate::shader::{Variant, View, params};

pub(super) struct GroupNorm;
pub(super) static ROOM: GroupNorm = GroupNorm;

/// Fewest elements of a piece.
const PIECE: u64 = 16_384;
/// Workgroups that keep a large device busy.
const PLENTY: u64 = 2048;

impl Room for GroupNorm {
    type Choice = ();

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<()> {
        elem::need(node.source(0)?, Type::F32, "a source")?;
        elem::need(&node.dst, Type::F32, "a result")?;
        if node.params.i32(0) <= 0 {
            crate::unsupported!("{} groups", node.params.i32(0));
        }
        Ok(())
    }

    fn plan(&self, node: &Node, _choice: &(), planner: &mut Planner<'_>) -> Result<()> {
        let (src, dst) = (node.source(0)?, &node.dst);
        let [ne0, ne1, ne2, batches] = dst.ne;
        let channels = channels(node);
        // Groups without a channel have nothing to do.
        let groups = ne2.div_ceil(channels);
        let elements = ne0 * ne1 * channels;
        let most = (PLENTY / (groups * batches)).max(1);
        let size = elements.div_ceil(most).max(PIECE).next_multiple_of(4);
        let pieces = elements.div_ceil(size);
        let caps = planner.caps();
        let planes =
            |t: &Tensor| [(ne0, 0, 4), (ne1, 1, 4 * ne0), (channels, 2, 4 * ne0 * ne1)].iter().all(|&(n, d, nb)| n == 1 || t.nb[d] == nb);
        let flat = planes(src) && planes(dst);
        let aligned = |t: &Tensor| {
            [t.data, if ne2 == 1 { 0 } else { t.nb[2] }, if batches == 1 { 0 } else { t.nb[3] }].iter().all(|n| n.is_multiple_of(16))
        };
        let vector = flat && ne0 * ne1 % 4 == 0 && aligned(src) && aligned(dst);
        let word = elem::word(Type::F32, caps, vector, false);
        let work = Work {
            src,
            dst,
            variant: Variant::new("group_norm")
                .constant("wg_size", row_size(size.min(elements), caps))
                .flag("SUBGROUPS", caps.subgroups.is_some())
                .define("WORD", word)
                .flag("FLAT", flat)
                .flag("VEC", vector),
            params: params::group_norm::Params {
                pieces: pieces as u32,
                size: size as u32,
                groups: groups as u32,
                batches: batches as u32,
                ne0: ne0 as u32,
                ne1: ne1 as u32,
                ne2: ne2 as u32,
                channels: channels as u32,
                eps: node.params.f32(1),
                ..Default::default()
            },
            workgroups: groups * batches * pieces,
        };
        let (source, result) = (read_elementwise("src", src, word), write("dst", dst, word));
        if pieces == 1 {
            return work.run("one", &[source, result], planner);
        }
        let bytes = 8 * work.workgroups;
        let moments = planner.scratch(bytes);
        work.run("moments", &[source, write_bytes("moments", moments, bytes, "vec2<f32>")], planner)?;
        work.run("apply", &[source, read_bytes("moments", moments, bytes, "vec2<f32>"), result], planner)
    }

    fn axes(&self, node: &Node) -> Vec<split::Axis> {
        [(3, 1), (2, channels(node))].map(|(dim, step)| split::Axis { dim, step, sources: vec![split::Follow::Same(dim)] }).into()
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for (ne, groups) in [
            ([64, 64, 32, 2], 8),
            ([9, 9, 128, 1], 32),
            ([7, 3, 10, 2], 4),
            ([5, 1, 3, 1], 7),
            ([200, 100, 6, 2], 3),
            ([129, 131, 6, 1], 2),
        ] {
            for eps in [1e-6, 0.1] {
                cases.push(Case::new(format!("{ne:?} in {groups}, eps {eps}"), move |m| m.group_norm(m.input(Type::F32, ne), groups, eps)));
            }
        }
        cases.push(Case::new("a permuted tensor", |m| m.group_norm(m.permute(m.input(Type::F32, [16, 6, 5, 2]), [0, 2, 1, 3]), 2, 1e-6)));
        cases.push(Case::new("in place", |m| {
            m.group_norm_inplace(m.add(m.input(Type::F32, [16, 6, 5, 2]), m.input(Type::F32, [16, 6, 5, 2])), 2, 1e-6)
        }));
        cases
    }
}

/// Channels of a group; the last groups may have fewer.
fn channels(node: &Node) -> u64 {
    node.whole[2].div_ceil(u64::from(node.params.u32(0).max(1)))
}

struct Work<'a> {
    src: &'a Tensor,
    dst: &'a Tensor,
    variant: Variant,
    params: params::group_norm::Params,
    workgroups: u64,
}

impl Work<'_> {
    fn run(&self, stage: &'static str, operands: &[Operand<'_>], planner: &mut Planner<'_>) -> Result<()> {
        let bound = planner.bind(operands)?;
        let params = params::group_norm::Params {
            src_view: bound.view("src", self.src)?,
            dst_view: if stage == "moments" { View::default() } else { bound.view("dst", self.dst)? },
            moments_offset: if stage == "one" { 0 } else { bound.offset("moments")? },
            ..self.params
        };
        planner.dispatch(self.variant.clone().define("STAGE", stage), &bound, &params, self.workgroups)
    }
}
