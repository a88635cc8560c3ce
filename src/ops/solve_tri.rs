//! SOLVE_TRI: the solution x of a * x = b for lower triangular a, column by column. F32.

use anyhow::Result;

use super::bind::{read, read_elementwise, write};
use super::team::Team;
use super::{Case, Planner, Room, elem, grid, split};
use crate::ggml::make::{Fill, Make, T};
use crate::ggml::{Node, Type};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct SolveTri;
pub(super) static ROOM: SolveTri = SolveTri;

pub(super) struct Choice {
    variant: Variant,
    team: Team,
}

impl Room for SolveTri {
    type Choice = Choice;

    fn choose(&self, node: &Node, caps: &Caps) -> Result<Choice> {
        for t in [node.source(0)?, node.source(1)?, &node.dst] {
            elem::need(t, Type::F32, "a tensor")?;
        }
        let team = Team::new(node.dst.ne[1], caps)?;
        let near = team.state_bytes() + team.sum_bytes() <= caps.max_workgroup_memory;
        Ok(Choice { variant: team.define(Variant::new("solve_tri")).flag("NEAR", near), team })
    }

    fn plan(&self, node: &Node, choice: &Choice, planner: &mut Planner<'_>) -> Result<()> {
        let (a, b, dst) = (node.source(0)?, node.source(1)?, &node.dst);
        let bound = planner.bind(&[read("a", a, "f32"), read_elementwise("b", b, "f32"), write("dst", dst, "f32")])?;
        let planes = dst.ne[2] * dst.ne[3];
        let params = params::solve_tri::Params {
            columns: dst.ne[0] as u32,
            planes: planes as u32,
            ne2: dst.ne[2] as u32,
            a_view: bound.view("a", a)?,
            b_view: bound.view("b", b)?,
            dst_view: bound.view("dst", dst)?,
        };
        planner.dispatch(choice.variant.clone(), &bound, &params, grid::groups(dst.ne[0], choice.team.rows()) * planes)
    }

    fn axes(&self, _node: &Node) -> Vec<split::Axis> {
        use split::Follow::{Same, Whole};
        vec![
            split::Axis { dim: 3, step: 1, sources: vec![Same(3), Same(3)] },
            split::Axis { dim: 2, step: 1, sources: vec![Same(2), Same(2)] },
            split::Axis { dim: 0, step: 1, sources: vec![Whole, Same(0)] },
        ]
    }

    fn cases(&self) -> Vec<Case> {
        let shapes = [
            [1, 1, 1, 1],
            [3, 10, 4, 3],
            [5, 11, 1, 1],
            [417, 79, 2, 1],
            [64, 64, 2, 2],
            [33, 128, 1, 3],
            [1, 300, 1, 1],
            [2, 4, 70_000, 1],
            [9, 600, 1, 1],
        ];
        shapes
            .into_iter()
            .map(|ne| Case::new(format!("{ne:?}"), move |m| m.solve_tri(triangle(m, ne), m.input(Type::F32, ne), true, true, false)))
            .collect()
    }
}

/// A matrix with a strong diagonal, and with numbers above it that do not matter.
fn triangle(m: &Make, [_, order, ne2, ne3]: [i64; 4]) -> T<'_> {
    let small = m.filled(Type::F32, [order, order, ne2, ne3], Fill::Uniform(-0.1, 0.1));
    let ones = m.filled(Type::F32, [order, 1, 1, 1], Fill::Uniform(1.0, 2.0));
    m.add(small, m.diag(ones))
}
