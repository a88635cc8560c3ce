//! RWKV_WKV7: linear attention whose state decays by factors and by a product of rank one. F32.

use anyhow::Result;

use super::bind::{read, write};
use super::team::{self, Team};
use super::{Case, Planner, Room, elem};
use crate::ggml::make::Fill;
use crate::ggml::{Node, Type};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct RwkvWkv7;
pub(super) static ROOM: RwkvWkv7 = RwkvWkv7;

const NAMES: &[&str] = &["r", "w", "k", "v", "a", "b", "state"];

pub(super) struct Choice {
    variant: Variant,
    team: Team,
}

impl Room for RwkvWkv7 {
    type Choice = Choice;

    fn choose(&self, node: &Node, caps: &Caps) -> Result<Choice> {
        let team = Team::new(team::heads(node, NAMES)?.length, caps)?;
        let variant = team.define(Variant::new("rwkv_wkv7"));
        elem::need_buffers(&variant, NAMES.len() as u32 + 1, caps)?;
        Ok(Choice { variant, team })
    }

    fn plan(&self, node: &Node, choice: &Choice, planner: &mut Planner<'_>) -> Result<()> {
        let shape = team::heads(node, NAMES)?;
        let mut operands = vec![write("dst", &node.dst, "f32")];
        for (i, name) in NAMES.iter().enumerate() {
            operands.push(read(name, node.source(i)?, "f32"));
        }
        let bound = planner.bind(&operands)?;
        let params = params::rwkv_wkv7::Params {
            heads: shape.heads as u32,
            tokens: shape.tokens as u32,
            sequences: shape.sequences as u32,
            r_offset: bound.offset("r")?,
            w_offset: bound.offset("w")?,
            k_offset: bound.offset("k")?,
            v_offset: bound.offset("v")?,
            a_offset: bound.offset("a")?,
            b_offset: bound.offset("b")?,
            state_offset: bound.offset("state")?,
            dst_offset: bound.offset("dst")?,
        };
        planner.dispatch(choice.variant.clone(), &bound, &params, shape.groups(&choice.team))
    }

    fn cases(&self) -> Vec<Case> {
        // ggml's CPU backend writes beyond the state of heads that are no multiple of its vectors: up to 64 elements.
        let shapes = [[64, 4, 1, 1], [64, 3, 33, 1], [64, 2, 5, 4], [128, 1, 3, 2], [192, 2, 6, 1], [320, 1, 2, 1]];
        shapes
            .into_iter()
            .map(|[length, heads, tokens, sequences]| {
                Case::new(format!("{length} elements, {heads} heads, {tokens} tokens, {sequences} sequences"), move |m| {
                    let ne = [length, heads, tokens * sequences, 1];
                    let input = || m.input(Type::F32, ne);
                    let w = m.filled(Type::F32, ne, Fill::Uniform(0.3, 1.0));
                    let (a, b) = (m.l2_norm(input(), 1e-7), m.l2_norm(input(), 1e-7));
                    m.rwkv_wkv7(input(), w, input(), input(), a, b, m.input(Type::F32, [length * length * heads, sequences, 1, 1]))
                })
            })
            .collect()
    }
}
