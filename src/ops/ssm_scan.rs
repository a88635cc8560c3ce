//! SSM_SCAN: the recurrence of Mamba and Mamba-2 over the tokens of each sequence. F32.

use anyhow::Result;

use super::bind::{read, write};
use super::team::Team;
use super::{Case, Planner, Room, elem, grid};
use crate::ggml::make::{Fill, Make, T};
use crate::ggml::{Node, Type};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct SsmScan;
pub(super) static ROOM: SsmScan = SsmScan;

pub(super) struct Choice {
    variant: Variant,
    team: Team,
}

impl Room for SsmScan {
    type Choice = Choice;

    fn choose(&self, node: &Node, caps: &Caps) -> Result<Choice> {
        let names = ["a state", "x", "dt", "A", "B", "C"];
        let mut sources = Vec::new();
        for (i, name) in names.into_iter().enumerate() {
            let t = node.source(i)?;
            elem::need(t, Type::F32, name)?;
            elem::need_rows(t, name)?;
            sources.push(t);
        }
        elem::need(node.source(6)?, Type::I32, "a list of sequences")?;
        elem::need(&node.dst, Type::F32, "a result")?;
        let [state, x, _, rate, b, ..] = sources[..] else { crate::unsupported!("SSM_SCAN without its sources") };
        let (heads, groups) = (x.ne[1], b.ne[1]);
        if groups == 0 || heads % groups != 0 {
            crate::unsupported!("{heads} heads in {groups} groups");
        }
        let team = Team::new(state.ne[0], caps)?;
        let variant = team
            .define(Variant::new("ssm_scan"))
            .flag("SCALAR", rate.ne[0] == 1)
            .constant("channels", x.ne[0] as u32)
            .constant("heads", heads as u32)
            .constant("groups", groups as u32)
            .constant("kept", node.params.u32(0));
        elem::need_buffers(&variant, 8, caps)?;
        Ok(Choice { variant, team })
    }

    fn plan(&self, node: &Node, choice: &Choice, planner: &mut Planner<'_>) -> Result<()> {
        let names = ["state", "x", "dt", "rate", "b", "c"];
        let mut operands = vec![write("dst", &node.dst, "f32"), read("ids", node.source(6)?, "i32")];
        for (i, name) in names.into_iter().enumerate() {
            operands.push(read(name, node.source(i)?, "f32"));
        }
        let bound = planner.bind(&operands)?;
        let source = node.source(1)?;
        let (x, b, c) = (bound.view("x", source)?, bound.view("b", node.source(4)?)?, bound.view("c", node.source(5)?)?);
        let params = params::ssm_scan::Params {
            tokens: source.ne[2] as u32,
            sequences: source.ne[3] as u32,
            state_offset: bound.offset("state")?,
            x_offset: x.offset,
            x_nb2: x.nb[2],
            x_nb3: x.nb[3],
            dt_offset: bound.offset("dt")?,
            rate_offset: bound.offset("rate")?,
            b_offset: b.offset,
            b_nb2: b.nb[2],
            b_nb3: b.nb[3],
            c_offset: c.offset,
            c_nb2: c.nb[2],
            c_nb3: c.nb[3],
            ids_offset: bound.offset("ids")?,
            dst_offset: bound.offset("dst")?,
        };
        let rows = source.ne[0] * source.ne[1];
        planner.dispatch(choice.variant.clone(), &bound, &params, grid::groups(rows, choice.team.rows()) * source.ne[3])
    }

    fn cases(&self) -> Vec<Case> {
        // Elements, channels, heads, groups, tokens, sequences, states kept.
        let shapes = [
            [16, 1, 96, 1, 32, 4, 1],
            [16, 1, 5, 1, 1, 1, 1],
            [96, 64, 8, 8, 1, 1, 1],
            [96, 16, 4, 2, 8, 2, 3],
            [128, 64, 4, 2, 9, 2, 1],
            [128, 16, 4, 1, 4, 2, 4],
            [256, 8, 8, 2, 12, 1, 1],
            [1, 3, 3, 3, 7, 3, 2],
            [7, 5, 6, 3, 20, 2, 1],
            [300, 3, 4, 2, 5, 1, 1],
            [1100, 2, 2, 1, 3, 2, 1],
            [2, 1, 3, 1, 1, 70_000, 1],
        ];
        let mut cases: Vec<Case> = shapes
            .into_iter()
            .map(|shape| {
                let [elements, channels, heads, groups, tokens, sequences, kept] = shape;
                let state = format!("{elements} elements, {channels} channels, {heads} heads, {groups} groups");
                let name = format!("{state}, {tokens} tokens, {sequences} sequences, {kept} kept");
                Case::new(name, move |m| {
                    let x = m.input(Type::F32, [channels, heads, tokens, sequences]);
                    let b = m.input(Type::F32, [elements, groups, tokens, sequences]);
                    let c = m.input(Type::F32, [elements, groups, tokens, sequences]);
                    scan(m, x, b, c, if channels == 1 { elements } else { 1 }, kept)
                })
            })
            .collect();
        cases.push(Case::new("x, B and C are parts of one tensor", |m| {
            let all = m.cont(m.input(Type::F32, [4 * 32 + 2 * 2 * 48, 6, 2, 1]));
            let nb = m.nb(all);
            let part = |ne: [i64; 4], first: usize| m.view(all, ne, [4 * ne[0] as usize, nb[1], nb[2]], 4 * first);
            let (x, b, c) = (part([32, 4, 6, 2], 0), part([48, 2, 6, 2], 128), part([48, 2, 6, 2], 128 + 96));
            scan(m, x, b, c, 1, 1)
        }));
        cases.push(Case::new("x, B and C lie between each other", |m| {
            let all = m.input(Type::F32, [64, 4, 5, 4]);
            let nb = m.nb(all);
            let part = |ne: [i64; 4], first: usize| m.view(all, ne, [nb[1], nb[2], nb[3]], first * nb[3]);
            scan(m, part([64, 4, 5, 2], 1), part([64, 2, 5, 2], 0), part([64, 2, 5, 2], 2), 1, 1)
        }));
        cases
    }
}

/// A scan whose states lie in a longer list, in another order. `rates` are A's, for a head.
fn scan<'a>(m: &'a Make, x: T<'a>, b: T<'a>, c: T<'a>, rates: i64, kept: i64) -> T<'a> {
    let ([channels, heads, tokens, sequences], elements) = (m.ne(x), m.ne(b)[0]);
    let state = m.input(Type::F32, [elements, channels, heads, sequences + 2]);
    let dt = m.filled(Type::F32, [heads, tokens, sequences, 1], Fill::Uniform(-3.0, 22.0));
    let rate = m.filled(Type::F32, [rates, heads, 1, 1], Fill::Uniform(-1.0, -0.01));
    let ids = m.filled(Type::I32, [sequences, 1, 1, 1], Fill::Ints((0..sequences).map(|i| sequences + 1 - i).collect()));
    m.ssm_scan(state, x, dt, rate, b, c, ids, kept)
}
