//! FLASH_ATTN_BACK: gradients of attention for F32 queries, keys and (transposed) values.

use anyhow::Result;

use super::bind::{read, read_bytes, write, write_bytes};
use super::{Case, Planner, Room, elem};
use crate::ggml::{Node, Type};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct FlashAttnBack;
pub(super) static ROOM: FlashAttnBack = FlashAttnBack;

const WG_SIZE: u32 = 128;
/// Bytes that the first kernel leaves of each row for the second one.
const STATS: u64 = 12;

/// Where the gradients lie in the result, in elements: each one's end, and the beginning of the next.
fn layout(node: &Node) -> Result<[u64; 6]> {
    let [q, k, v] = [0, 1, 2].map(|i| node.source(i).map(|t| t.elements()));
    let (q, k, v) = (q?, k?, v?);
    let dst_k = q.next_multiple_of(4);
    let dst_v = dst_k + k.next_multiple_of(4);
    Ok([q, dst_k, dst_k + k, dst_v, dst_v + v, dst_v + v.next_multiple_of(4)])
}

impl Room for FlashAttnBack {
    type Choice = Variant;

    fn choose(&self, node: &Node, caps: &Caps) -> Result<Variant> {
        let (q, k, v, d) = (node.source(0)?, node.source(1)?, node.source(2)?, node.source(3)?);
        for t in [q, k, v, d, &node.dst] {
            elem::need(t, Type::F32, "a tensor")?;
        }
        let [depth, queries, heads, streams] = q.ne;
        let [_, keys, k_heads, _] = k.ne;
        let fits = k.ne == [depth, keys, k_heads, streams] && v.ne == [keys, depth, k_heads, streams] && d.same_shape(q);
        if !fits || keys < queries || k_heads == 0 || heads % k_heads != 0 {
            crate::unsupported!("queries {:?}, keys {:?}, values {:?}, gradients {:?}", q.ne, k.ne, v.ne, d.ne);
        }
        let [.., end] = layout(node)?;
        if node.dst.elements() != end || !node.dst.contiguous() {
            crate::unsupported!("{} elements for gradients ({end} are needed)", node.dst.elements());
        }
        let wg_size = WG_SIZE.min(1 << caps.max_invocations.ilog2());
        Ok(Variant::new("flash_attn_back").constant("wg_size", wg_size).flag("SUBGROUPS", caps.subgroups.is_some()))
    }

    fn plan(&self, node: &Node, choice: &Variant, planner: &mut Planner<'_>) -> Result<()> {
        let (q, k, v, d, dst) = (node.source(0)?, node.source(1)?, node.source(2)?, node.source(3)?, &node.dst);
        let [dst_q_end, dst_k, dst_k_end, dst_v, dst_v_end, dst_end] = layout(node)?.map(|n| n as u32);
        let bytes = STATS * q.rows();
        let at = planner.scratch(bytes);
        for keys in [false, true] {
            let stats = if keys { read_bytes("stats", at, bytes, "f32") } else { write_bytes("stats", at, bytes, "f32") };
            let sources = [read("q", q, "f32"), read("k", k, "f32"), read("v", v, "f32"), read("d", d, "f32")];
            let bound = planner.bind(&[&sources[..], &[stats, write("dst", dst, "f32")]].concat())?;
            let count = if keys { k.rows() } else { q.rows() };
            let params = params::flash_attn_back::Params {
                count: count as u32,
                depth: q.ne[0] as u32,
                n_query: q.ne[1] as u32,
                n_key: k.ne[1] as u32,
                q_heads: q.ne[2] as u32,
                k_heads: k.ne[2] as u32,
                masked: node.params.u32(0),
                scale: 1.0 / (q.ne[0] as f32).sqrt(),
                q_view: bound.view("q", q)?,
                k_view: bound.view("k", k)?,
                v_view: bound.view("v", v)?,
                d_view: bound.view("d", d)?,
                stats_offset: bound.offset("stats")?,
                dst_offset: bound.offset("dst")?,
                dst_q_end,
                dst_k,
                dst_k_end,
                dst_v,
                dst_v_end,
                dst_end,
            };
            planner.dispatch(choice.clone().flag("KEYS", keys), &bound, &params, count)?;
        }
        Ok(())
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        // Where both heads repeat and there are streams, the CPU's gradients lie outside of its result.
        for (depth, queries, keys, heads, k_heads, streams) in
            [(32, 7, 7, 2, 2, 3), (5, 3, 9, 1, 1, 1), (64, 33, 150, 4, 2, 1), (130, 1, 257, 6, 1, 1), (3, 5, 5, 3, 3, 1)]
        {
            for masked in [false, true] {
                cases.push(Case::new(
                    format!("{queries} queries, {keys} keys of {depth}, heads {heads}/{k_heads}, {streams} streams, masked: {masked}"),
                    move |m| {
                        let [q, d] = [(); 2].map(|()| m.input(Type::F32, [depth, queries, heads, streams]));
                        let k = m.input(Type::F32, [depth, keys, k_heads, streams]);
                        m.flash_attn_back(q, k, m.input(Type::F32, [keys, depth, k_heads, streams]), d, masked)
                    },
                ));
            }
        }
        cases.push(Case::new("permuted tensors", |m| {
            let [q, d] = [(); 2].map(|()| m.permute(m.input(Type::F32, [16, 3, 9, 1]), [0, 2, 1, 3]));
            let k = m.permute(m.input(Type::F32, [16, 3, 20, 1]), [0, 2, 1, 3]);
            let v = m.permute(m.input(Type::F32, [20, 3, 16, 1]), [0, 2, 1, 3]);
            m.flash_attn_back(q, k, v, d, true)
        }));
        cases
    }
}
