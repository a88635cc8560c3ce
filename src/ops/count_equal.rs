//! COUNT_EQUAL on I32: how many elements of two tensors are equal, as one I64.

use anyhow::Result;

use super::bind::{read, read_bytes, write, write_bytes};
use super::{Case, Planner, Room, elem, grid};
use crate::ggml::make::Fill;
use crate::ggml::{Node, Type};
use crate::gpu::Caps;
use crate::shader::{Variant, View, params};

pub(super) struct CountEqual;
pub(super) static ROOM: CountEqual = CountEqual;

const WG_SIZE: u32 = 256;
/// Workgroups that count, at most.
const PLENTY: u64 = 1024;

impl Room for CountEqual {
    type Choice = Variant;

    fn choose(&self, node: &Node, caps: &Caps) -> Result<Variant> {
        elem::need(node.source(0)?, Type::I32, "a source")?;
        elem::need(node.source(1)?, Type::I32, "a source")?;
        elem::need(&node.dst, Type::I64, "a result")?;
        Ok(Variant::new("count_equal").constant("wg_size", WG_SIZE.min(caps.max_invocations)))
    }

    fn plan(&self, node: &Node, choice: &Variant, planner: &mut Planner<'_>) -> Result<()> {
        let (a, b, dst) = (node.source(0)?, node.source(1)?, &node.dst);
        // Each has 8 elements for each invocation, if there are enough.
        let workgroups = grid::groups(a.elements(), 8 * WG_SIZE).min(PLENTY);
        let counts = planner.scratch(4 * workgroups.max(1));
        if workgroups > 0 {
            let bound =
                planner.bind(&[read("src0", a, "i32"), read("src1", b, "i32"), write_bytes("dst", counts, 4 * workgroups, "u32")])?;
            let params = params::count_equal::Params {
                count: a.elements() as u32,
                workgroups: workgroups as u32,
                ne0: a.ne[0] as u32,
                ne1: a.ne[1] as u32,
                ne2: a.ne[2] as u32,
                src0_view: bound.view("src0", a)?,
                src1_view: bound.view("src1", b)?,
                dst_offset: bound.offset("dst")?,
            };
            planner.dispatch(choice.clone().flag("FIRST", true), &bound, &params, workgroups)?;
        }
        let bound = planner.bind(&[read_bytes("src0", counts, 4 * workgroups, "u32"), write("dst", dst, "u32")])?;
        let params = params::count_equal::Params {
            count: workgroups as u32,
            workgroups: 1,
            src0_view: View { offset: bound.offset("src0")?, ..View::default() },
            dst_offset: bound.offset("dst")?,
            ..Default::default()
        };
        planner.dispatch(choice.clone(), &bound, &params, 1)
    }

    fn cases(&self) -> Vec<Case> {
        let ints = |n: i64| Fill::Ints((0..n).map(|i| i * i % 5).collect());
        let mut cases = Vec::new();
        // ggml 0.26 counts some rows twice on the CPU unless dimensions 1 and 2 are equal or 1.
        for ne in [[4, 500, 1, 1], [33, 7, 7, 1], [1, 1, 1, 1], [3_000_001, 1, 1, 1]] {
            cases.push(Case::new(format!("{ne:?}"), move |m| {
                m.count_equal(m.filled(Type::I32, ne, ints(97)), m.filled(Type::I32, ne, ints(89)))
            }));
        }
        cases.push(Case::new("a permuted tensor", move |m| {
            let a = m.permute(m.filled(Type::I32, [16, 1, 6, 1], ints(97)), [0, 2, 1, 3]);
            m.count_equal(a, m.filled(Type::I32, [16, 6, 1, 1], ints(89)))
        }));
        cases
    }
}
