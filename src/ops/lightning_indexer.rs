//! LIGHTNING_INDEXER: scores of keys of any float or quantised type for tokens, over heads, as F32.

use anyhow::Result;

use super::bind::{read, write};
use super::split::{Axis, Follow};
use super::{Case, Planner, Room, elem};
use crate::ggml::make::Fill;
use crate::ggml::{Node, Type};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct LightningIndexer;
pub(super) static ROOM: LightningIndexer = LightningIndexer;

/// Keys of a workgroup; the shader's number.
const KEYS: u64 = 32;

impl Room for LightningIndexer {
    type Choice = ();

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<()> {
        let (q, k, w, mask) = (node.source(0)?, node.source(1)?, node.source(2)?, node.source(3)?);
        for t in [q, w, &node.dst] {
            elem::need(t, Type::F32, "a tensor")?;
        }
        elem::need(mask, Type::F16, "a mask")?;
        if !k.ty.is_float() && !k.ty.is_quant() {
            crate::unsupported!("keys of the type {}", k.ty);
        }
        elem::need_rows(k, "keys")
    }

    fn plan(&self, node: &Node, &(): &(), planner: &mut Planner<'_>) -> Result<()> {
        let (q, k, w, mask, dst) = (node.source(0)?, node.source(1)?, node.source(2)?, node.source(3)?, &node.dst);
        let caps = planner.caps();
        let row4 = k.ne[0] % 4 == 0;
        let vector = row4 && elem::vector_rows(k, caps);
        let (wk, wm) = (elem::word(k.ty, caps, vector, false), elem::word(mask.ty, caps, false, false));
        let bound =
            planner.bind(&[read("q", q, "f32"), read("k", k, wk), read("w", w, "f32"), read("m", mask, wm), write("dst", dst, "f32")])?;
        let tiles = dst.ne[0].div_ceil(KEYS);
        let count = tiles * dst.ne[1] * dst.ne[3];
        let params = params::lightning_indexer::Params {
            count: count as u32,
            n_embd: q.ne[0] as u32,
            n_head: q.ne[1] as u32,
            n_token: dst.ne[1] as u32,
            n_kv: dst.ne[0] as u32,
            tiles: tiles as u32,
            masks: mask.ne[3] as u32,
            q_view: bound.view("q", q)?,
            k_view: bound.view("k", k)?,
            w_view: bound.view("w", w)?,
            m_view: bound.view("m", mask)?,
            dst_view: bound.view("dst", dst)?,
        };
        let variant = Variant::new("lightning_indexer").flag("ROW4", row4).flag("k_VEC", vector);
        planner.dispatch(elem::define(variant, &[("K", k.ty, wk), ("M", mask.ty, wm)]), &bound, &params, count)
    }

    fn axes(&self, _node: &Node) -> Vec<Axis> {
        use Follow::{Repeat, Same, Whole};
        vec![
            Axis { dim: 3, step: 1, sources: vec![Same(3), Same(3), Same(3), Repeat(3)] },
            Axis { dim: 1, step: 1, sources: vec![Same(2), Whole, Same(1), Same(1)] },
            Axis { dim: 0, step: 1, sources: vec![Whole, Same(2), Whole, Same(0)] },
        ]
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        let mut case = |ty: Type, embd: i64, heads: i64, tokens: i64, kv: i64, streams: i64, masks: i64| {
            cases.push(Case::new(
                format!("{ty} keys {kv} of {embd}, {heads} heads, {tokens} tokens, {streams} streams, {masks} masks"),
                move |m| {
                    let q = m.input(Type::F32, [embd, heads, tokens, streams]);
                    let k = m.input(ty, [embd, 1, kv, streams]);
                    let w = m.input(Type::F32, [heads, tokens, 1, streams]);
                    m.lightning_indexer(q, k, w, m.filled(Type::F16, [kv, tokens, 1, masks], Fill::Uniform(-3.0, 3.0)))
                },
            ));
        };
        for ty in Type::all().filter(|t| t.is_float() || t.is_quant()) {
            case(ty, 256, 5, 3, 40, 1, 1);
        }
        for ty in [Type::F32, Type::F16, Type::BF16] {
            case(ty, 35, 9, 2, 65, 2, 1);
        }
        case(Type::F16, 128, 64, 1, 300, 1, 1);
        case(Type::F32, 128, 67, 3, 31, 4, 2);
        case(Type::Q8_0, 128, 64, 2, 257, 2, 2);
        case(Type::F16, 4, 1, 70_000, 3, 1, 1);
        cases.push(Case::new("permuted tensors and views", |m| {
            let q = m.permute(m.input(Type::F32, [64, 3, 8, 2]), [0, 2, 1, 3]);
            let k = m.permute(m.input(Type::F16, [64, 50, 2, 1]), [0, 2, 3, 1]);
            let mask = m.filled(Type::F16, [60, 3, 1, 1], Fill::Mask);
            let nb = m.nb(mask);
            let mask = m.view(mask, [50, 3, 1, 1], [nb[1], nb[2], nb[3]], 6);
            m.lightning_indexer(q, k, m.input(Type::F32, [8, 3, 1, 2]), mask)
        }));
        cases
    }
}
