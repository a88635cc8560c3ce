//! RWKV_WKV6 and GATED_LINEAR_ATTN: linear attention whose state decays by a factor for each element of a key. F32.

use anyhow::Result;

use super::bind::{read, write};
use super::team::{self, Team};
use super::{Case, Planner, Room};
use crate::ggml::make::Fill;
use crate::ggml::{Node, Type, sys};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct RwkvWkv6;
pub(super) static ROOM: RwkvWkv6 = RwkvWkv6;

const RWKV: &[&str] = &["k", "v", "r", "bonus", "decay", "state"];
const GATED: &[&str] = &["k", "v", "r", "decay", "state"];

fn names(op: sys::ggml_op) -> &'static [&'static str] {
    if op == sys::GGML_OP_RWKV_WKV6 { RWKV } else { GATED }
}

pub(super) struct Choice {
    variant: Variant,
    team: Team,
}

impl Room for RwkvWkv6 {
    type Choice = Choice;

    fn choose(&self, node: &Node, caps: &Caps) -> Result<Choice> {
        let shape = team::heads(node, names(node.op))?;
        let team = Team::new(shape.length, caps)?;
        Ok(Choice { variant: team.define(Variant::new("rwkv_wkv6")).flag("BONUS", node.op == sys::GGML_OP_RWKV_WKV6), team })
    }

    fn plan(&self, node: &Node, choice: &Choice, planner: &mut Planner<'_>) -> Result<()> {
        let names = names(node.op);
        let shape = team::heads(node, names)?;
        let mut operands = vec![write("dst", &node.dst, "f32")];
        for (i, name) in names.iter().enumerate() {
            operands.push(read(name, node.source(i)?, "f32"));
        }
        let bound = planner.bind(&operands)?;
        let params = params::rwkv_wkv6::Params {
            heads: shape.heads as u32,
            tokens: shape.tokens as u32,
            sequences: shape.sequences as u32,
            scale: node.params.f32(0),
            k_offset: bound.offset("k")?,
            v_offset: bound.offset("v")?,
            r_offset: bound.offset("r")?,
            bonus_offset: if names == RWKV { bound.offset("bonus")? } else { 0 },
            decay_offset: bound.offset("decay")?,
            state_offset: bound.offset("state")?,
            dst_offset: bound.offset("dst")?,
        };
        planner.dispatch(choice.variant.clone(), &bound, &params, shape.groups(&choice.team))
    }

    fn cases(&self) -> Vec<Case> {
        let shapes = [[64, 4, 1, 1], [64, 3, 33, 1], [64, 2, 5, 4], [1, 3, 4, 2], [40, 2, 6, 1], [128, 1, 3, 2], [300, 1, 2, 1]];
        let mut cases = Vec::new();
        for [length, heads, tokens, sequences] in shapes {
            let shape = format!("{length} elements, {heads} heads, {tokens} tokens, {sequences} sequences");
            let ne = [length, heads, tokens * sequences, 1];
            let states = [length * length * heads, sequences, 1, 1];
            cases.push(Case::new(format!("rwkv_wkv6 {shape}"), move |m| {
                let (k, v, r) = (m.input(Type::F32, ne), m.input(Type::F32, ne), m.input(Type::F32, ne));
                let (bonus, decay) = (m.input(Type::F32, [length, heads, 1, 1]), m.filled(Type::F32, ne, Fill::Uniform(0.3, 1.0)));
                m.rwkv_wkv6(k, v, r, bonus, decay, m.input(Type::F32, states))
            }));
            cases.push(Case::new(format!("gated_linear_attn {shape}"), move |m| {
                let (k, v, q) = (m.input(Type::F32, ne), m.input(Type::F32, ne), m.input(Type::F32, ne));
                m.gated_linear_attn(k, v, q, m.filled(Type::F32, ne, Fill::Uniform(0.3, 1.0)), m.input(Type::F32, states), 0.3)
            }));
        }
        cases.push(Case::new("one tensor for k, v and r", |m| {
            let (all, bonus) = (m.cont(m.input(Type::F32, [64, 2, 5, 1])), m.input(Type::F32, [64, 2, 1, 1]));
            m.rwkv_wkv6(
                all,
                all,
                all,
                bonus,
                m.filled(Type::F32, [64, 2, 5, 1], Fill::Uniform(0.3, 1.0)),
                m.input(Type::F32, [64 * 64 * 2, 1, 1, 1]),
            )
        }));
        cases
    }
}
