//! ADD_ID: each row of an F32 tensor, plus the row of a second one that an I32 id names.

use anyhow::Result;

use super::bind::{read, read_elementwise, write};
use super::{Case, Planner, Room, elem, grid, split};
use crate::ggml::make::Fill;
use crate::ggml::{Node, Type};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct AddId;
pub(super) static ROOM: AddId = AddId;

const WG_SIZE: u32 = 256;

impl Room for AddId {
    type Choice = ();

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<()> {
        let (a, b, dst) = (node.source(0)?, node.source(1)?, &node.dst);
        for t in [a, b, dst] {
            elem::need(t, Type::F32, "a source")?;
            elem::need_rows(t, "a source")?;
        }
        elem::need(node.source(2)?, Type::I32, "ids")
    }

    fn plan(&self, node: &Node, &(): &(), planner: &mut Planner<'_>) -> Result<()> {
        let (a, b, ids, dst) = (node.source(0)?, node.source(1)?, node.source(2)?, &node.dst);
        if !dst.contiguous() {
            crate::unsupported!("a result with gaps ({:?} bytes)", dst.nb);
        }
        let caps = planner.caps();
        let vector = [a, b, dst].iter().all(|t| elem::vector_rows(t, caps));
        let word = elem::word(Type::F32, caps, vector, false);
        let bound =
            planner.bind(&[read_elementwise("src0", a, word), read("src1", b, word), read("ids", ids, "i32"), write("dst", dst, word)])?;
        let (a, b_view, ids) = (bound.view("src0", a)?, bound.view("src1", b)?, bound.view("ids", ids)?);
        let step = if vector { 4 } else { 1 };
        let count = dst.elements() / step;
        let params = params::add_id::Params {
            count: count as u32,
            ne0: (dst.ne[0] / step) as u32,
            ne1: dst.ne[1] as u32,
            ne2: dst.ne[2] as u32,
            src0_offset: a.offset,
            src0_nb1: a.nb[1],
            src0_nb2: a.nb[2],
            src0_nb3: a.nb[3],
            src1_offset: b_view.offset,
            src1_nb1: b_view.nb[1],
            rows: b.ne[1] as u32,
            ids_offset: ids.offset,
            ids_nb0: ids.nb[0],
            ids_nb1: ids.nb[1],
            dst_offset: bound.offset("dst")?,
        };
        let wg_size = WG_SIZE.min(caps.max_invocations);
        let variant = Variant::new("add_id").define("WORD", word).flag("VEC", vector).constant("wg_size", wg_size);
        planner.dispatch(variant, &bound, &params, grid::groups(count, wg_size))
    }

    fn axes(&self, _node: &Node) -> Vec<split::Axis> {
        let along = |dim: usize, ids: split::Follow| split::Axis {
            dim,
            step: 1,
            sources: vec![split::Follow::Same(dim), split::Follow::Whole, ids],
        };
        vec![along(3, split::Follow::Whole), along(2, split::Follow::Same(1)), along(1, split::Follow::Same(0))]
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for (ne0, experts, used, tokens) in [(128, 4, 2, 1), (33, 8, 4, 7), (7, 3, 1, 70_000)] {
            cases.push(Case::new(format!("{ne0} of {experts} experts, {used} of each of {tokens}"), move |m| {
                let ids = m.filled(Type::I32, [experts, tokens, 1, 1], Fill::Distinct(experts));
                let nb = m.nb(ids);
                let ids = m.view(ids, [used, tokens, 1, 1], [nb[1], nb[2], nb[3]], 0);
                m.add_id(m.input(Type::F32, [ne0, used, tokens, 1]), m.input(Type::F32, [ne0, experts, 1, 1]), ids)
            }));
        }
        cases.push(Case::new("rows of a wider tensor", |m| {
            let a = m.input(Type::F32, [24, 2, 5, 1]);
            let nb = m.nb(a);
            let ids = m.filled(Type::I32, [2, 5, 1, 1], Fill::Ints(vec![0, 3, 2, 1]));
            m.add_id(m.view(a, [16, 2, 5, 1], [nb[1], nb[2], nb[3]], 16), m.input(Type::F32, [16, 4, 1, 1]), ids)
        }));
        cases
    }
}
