//! GATED_DELTA_NET: linear attention by the gated delta rule over the tokens of each sequence. F32.

use anyhow::Result;

use super::bind::{read, write};
use super::team::Team;
use super::{Case, Planner, Room, elem, grid};
use crate::ggml::make::{Fill, Make, T};
use crate::ggml::{Node, Type};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct GatedDeltaNet;
pub(super) static ROOM: GatedDeltaNet = GatedDeltaNet;

const NAMES: [&str; 6] = ["q", "k", "v", "gate", "beta", "state"];

pub(super) struct Choice {
    variant: Variant,
    team: Team,
}

impl Room for GatedDeltaNet {
    type Choice = Choice;

    fn choose(&self, node: &Node, caps: &Caps) -> Result<Choice> {
        for (i, name) in NAMES.into_iter().enumerate() {
            elem::need(node.source(i)?, Type::F32, name)?;
            elem::need_rows(node.source(i)?, name)?;
        }
        elem::need(&node.dst, Type::F32, "a result")?;
        let (v, gate) = (node.source(2)?, node.source(3)?);
        for t in [node.source(0)?, node.source(1)?] {
            if t.ne[1] == 0 || t.ne[3] == 0 || v.ne[3] % t.ne[3] != 0 {
                crate::unsupported!("{:?} queries or keys for {:?} values", t.ne, v.ne);
            }
        }
        let team = Team::new(v.ne[0], caps)?;
        let variant = team.define(Variant::new("gated_delta_net")).flag("VECTOR", gate.ne[0] > 1);
        Ok(Choice { variant, team })
    }

    fn plan(&self, node: &Node, choice: &Choice, planner: &mut Planner<'_>) -> Result<()> {
        let mut operands = vec![write("dst", &node.dst, "f32")];
        for (i, name) in NAMES.into_iter().enumerate() {
            operands.push(read(name, node.source(i)?, "f32"));
        }
        let bound = planner.bind(&operands)?;
        let (q, k, v) = (node.source(0)?, node.source(1)?, node.source(2)?);
        let state = bound.view("state", node.source(5)?)?;
        let [length, heads, tokens, sequences] = v.ne;
        let params = params::gated_delta_net::Params {
            heads: heads as u32,
            tokens: tokens as u32,
            sequences: sequences as u32,
            kept: node.params.u32(0),
            scale: 1.0 / (length as f32).sqrt(),
            q_heads: q.ne[1] as u32,
            k_heads: k.ne[1] as u32,
            q_shared: (sequences / q.ne[3]) as u32,
            k_shared: (sequences / k.ne[3]) as u32,
            q_view: bound.view("q", q)?,
            k_view: bound.view("k", k)?,
            v_view: bound.view("v", v)?,
            gate_view: bound.view("gate", node.source(3)?)?,
            beta_view: bound.view("beta", node.source(4)?)?,
            state_offset: state.offset,
            state_nb3: state.nb[3],
            dst_offset: bound.offset("dst")?,
        };
        let groups = grid::groups(length, choice.team.rows()) * heads * sequences;
        planner.dispatch(choice.variant.clone(), &bound, &params, groups)
    }

    fn cases(&self) -> Vec<Case> {
        // Elements, heads of queries and keys, heads, tokens, sequences, states kept.
        let shapes = [
            [128, 2, 4, 1, 1, 1],
            [64, 4, 4, 33, 2, 1],
            [16, 2, 4, 4, 2, 4],
            [32, 2, 2, 8, 1, 3],
            [1, 3, 3, 5, 2, 1],
            [7, 1, 3, 6, 2, 2],
            [75, 2, 2, 3, 1, 1],
            [130, 1, 1, 5, 1, 1],
            [600, 1, 1, 2, 1, 1],
            [2, 1, 1, 1, 70_000, 1],
        ];
        let mut cases = Vec::new();
        for [length, groups, heads, tokens, sequences, kept] in shapes {
            for vector in [false, true] {
                let gates = if vector { "gates of elements" } else { "gates of heads" };
                let name =
                    format!("{length} elements, {groups} and {heads} heads, {tokens} tokens, {sequences} sequences, {kept} kept, {gates}");
                cases.push(Case::new(name, move |m| {
                    let q = m.input(Type::F32, [length, groups, tokens, sequences]);
                    let k = m.input(Type::F32, [length, groups, tokens, sequences]);
                    net(m, q, k, m.input(Type::F32, [length, heads, tokens, sequences]), vector, kept)
                }));
            }
        }
        cases.push(Case::new("heads and tokens exchanged, queries shared by sequences", |m| {
            let part = |ne| m.permute(m.input(Type::F32, ne), [0, 2, 1, 3]);
            net(m, part([64, 5, 2, 1]), part([64, 5, 2, 2]), part([64, 5, 4, 4]), false, 1)
        }));
        cases
    }
}

fn net<'a>(m: &'a Make, q: T<'a>, k: T<'a>, v: T<'a>, vector: bool, kept: i64) -> T<'a> {
    let [length, heads, tokens, sequences] = m.ne(v);
    let gate = m.filled(Type::F32, [if vector { length } else { 1 }, heads, tokens, sequences], Fill::Uniform(-4.0, -1e-4));
    let beta = m.filled(Type::F32, [1, heads, tokens, sequences], Fill::Uniform(0.0, 1.0));
    let state = m.input(Type::F32, [length, length, heads, sequences]);
    m.gated_delta_net(m.l2_norm(q, 1e-6), m.l2_norm(k, 1e-6), v, gate, beta, state, kept)
}
