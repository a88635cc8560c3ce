//! ROPE and ROPE_BACK on F32 and F16: every mode, frequency factors, YaRN, rotated elements anywhere in the row, the rest copied.

use anyhow::Result;

use super::bind::{read, read_elementwise, write};
use super::{Case, Planner, Room, elem, grid, split};
use crate::ggml::{Node, OpParams, Type, sys};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct Rope;
pub(super) static ROOM: Rope = Rope;

/// The shader's workgroup size.
const WG_SIZE: u32 = 64;
/// Workgroups that keep a large device busy; beyond that, one turns several heads by the angles that it has.
const PLENTY: u64 = 4096;

/// What a node's parameters say.
pub(super) struct Turns {
    mode: &'static str,
    n_dims: u32,
    first: u32,
    theta_scale: f32,
    freq_scale: f32,
    ext_factor: f32,
    ramp: [f32; 2],
    magnitude: f32,
    sections: [u32; 4],
}

impl Turns {
    fn read(p: &OpParams) -> Result<Self> {
        let mode = match p.u32(2) {
            sys::GGML_ROPE_TYPE_NORMAL => "normal",
            sys::GGML_ROPE_TYPE_NEOX => "neox",
            sys::GGML_ROPE_TYPE_MROPE => "mrope",
            sys::GGML_ROPE_TYPE_IMROPE => "imrope",
            sys::GGML_ROPE_TYPE_VISION => "vision",
            other => crate::unsupported!("mode {other}"),
        };
        let (n_dims, context, base) = (p.i32(1), p.i32(4), p.f32(5));
        let (freq_scale, ext_factor, attn_factor) = (p.f32(6), p.f32(7), p.f32(8));
        if n_dims < 0 || n_dims % 2 != 0 || p.i32(15) < 0 || p.i32(15) % 2 != 0 {
            crate::unsupported!("{n_dims} rotated elements from {}", p.i32(15));
        }
        let sections = [11, 12, 13, 14].map(|i| p.i32(i));
        if mode != "normal" && mode != "neox" && (sections.iter().any(|&s| s < 0) || sections[..3].iter().all(|&s| s == 0)) {
            crate::unsupported!("sections {sections:?}");
        }
        // The dimension that turns `rotations` times within the context.
        let dim = |rotations: f32| n_dims as f32 * (context as f32 / (rotations * 2.0 * std::f32::consts::PI)).ln() / (2.0 * base.ln());
        let (low, high, last) = (dim(p.f32(9)).floor(), dim(p.f32(10)).ceil(), n_dims as f32 - 1.0);
        Ok(Self {
            mode,
            n_dims: n_dims as u32,
            first: p.u32(15),
            theta_scale: base.powf(-2.0 / n_dims as f32),
            freq_scale,
            ext_factor,
            ramp: [if low < 0.0 { 0.0 } else { low }, if last < high { last } else { high }],
            magnitude: if ext_factor == 0.0 { attn_factor } else { attn_factor * (1.0 + 0.1 * (1.0 / freq_scale).ln()) },
            sections: sections.map(|s| s as u32),
        })
    }

    /// Whether each token has four positions.
    fn multi(&self) -> bool {
        !matches!(self.mode, "normal" | "neox")
    }
}

impl Room for Rope {
    type Choice = Turns;

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<Turns> {
        let (src, pos, dst) = (node.source(0)?, node.source(1)?, &node.dst);
        if !matches!(dst.ty, Type::F32 | Type::F16) {
            crate::unsupported!("the type {}", dst.ty);
        }
        elem::need(src, dst.ty, "a source")?;
        elem::need(pos, Type::I32, "positions")?;
        for t in [src, dst, pos] {
            elem::need_rows(t, "a tensor")?;
        }
        let turns = Turns::read(&node.params)?;
        let end = if turns.mode == "vision" { 2 * turns.n_dims } else { turns.first + turns.n_dims };
        if u64::from(end) > dst.ne[0] || turns.mode == "vision" && (turns.first > 0 || u64::from(turns.n_dims) != dst.ne[0] / 2) {
            crate::unsupported!("{} rotated elements from {} in rows of {}", turns.n_dims, turns.first, dst.ne[0]);
        }
        if let Some(factors) = &node.src[2] {
            elem::need(factors, Type::F32, "factors")?;
            elem::need_rows(factors, "factors")?;
        }
        Ok(turns)
    }

    fn plan(&self, node: &Node, turns: &Turns, planner: &mut Planner<'_>) -> Result<()> {
        let (src, pos, dst) = (node.source(0)?, node.source(1)?, &node.dst);
        let caps = planner.caps();
        let (ws, wd) = (elem::word(src.ty, caps, false, false), elem::word(dst.ty, caps, false, true));
        let mut operands = vec![read_elementwise("src", src, ws), read("pos", pos, "i32"), write("dst", dst, wd)];
        if let Some(factors) = &node.src[2] {
            operands.push(read("factors", factors, "f32"));
        }
        let bound = planner.bind(&operands)?;

        let [ne0, heads, tokens, batches] = dst.ne;
        let limit = u64::from(caps.max_workgroups);
        let few = !turns.multi() && turns.first == 0 && batches == 1 && ne0 <= 0xffff && tokens <= limit;
        let variant = Variant::new(if few { "rope" } else { "rope_any" }).define("MODE", turns.mode);
        let variant = elem::define(variant, &[("SRC", src.ty, ws), ("DST", dst.ty, wd)])
            .flag("FACTORS", node.src[2].is_some())
            .flag("BACK", node.op == sys::GGML_OP_ROPE_BACK);

        let x = grid::groups(ne0.div_ceil(2), WG_SIZE);
        let planes = tokens * batches;
        let y = PLENTY.div_ceil(x * planes).min(heads);
        let grid = [x as u32, y.min(limit) as u32, planes.min(limit) as u32];

        let (s, d) = (bound.view("src", src)?, bound.view("dst", dst)?);
        let factors_offset = if node.src[2].is_some() { bound.offset("factors")? } else { 0 };
        // A piece of a larger node begins at a later token.
        let pos_offset = bound.offset("pos")? + 4 * node.first[2] as u32;
        let Turns { n_dims, theta_scale, freq_scale, ext_factor, ramp: [low, high], magnitude, .. } = *turns;
        if few {
            let params = params::rope::Params {
                sizes: ne0 as u32 | n_dims << 16,
                heads: heads as u32,
                src_offset: s.offset,
                src_nb1: s.nb[1],
                src_nb2: s.nb[2],
                dst_offset: d.offset,
                dst_nb1: d.nb[1],
                dst_nb2: d.nb[2],
                pos_offset,
                factors_offset,
                theta_scale,
                freq_scale,
                ext_factor,
                low,
                high,
                magnitude,
            };
            return planner.dispatch_grid(variant, &bound, &params, grid);
        }
        let [section0, section1, section2, section3] = turns.sections;
        let params = params::rope_any::Params {
            ne0: ne0 as u32,
            n_dims,
            first: turns.first,
            heads: heads as u32,
            tokens: tokens as u32,
            positions: if turns.multi() { pos.ne[0] / 4 } else { pos.ne[0] } as u32,
            batches: batches as u32,
            src_offset: s.offset,
            src_nb1: s.nb[1],
            src_nb2: s.nb[2],
            src_nb3: s.nb[3],
            dst_offset: d.offset,
            dst_nb1: d.nb[1],
            dst_nb2: d.nb[2],
            dst_nb3: d.nb[3],
            pos_offset,
            factors_offset,
            theta_scale,
            freq_scale,
            ext_factor,
            low,
            high,
            magnitude,
            section0,
            section1,
            section2,
            section3,
        };
        planner.dispatch_grid(variant, &bound, &params, grid)
    }

    fn axes(&self, _node: &Node) -> Vec<split::Axis> {
        use split::Follow::{Same, Whole};
        [3, 2, 1].map(|dim| split::Axis { dim, step: 1, sources: vec![Same(dim), Whole, Whole] }).to_vec()
    }

    fn cases(&self) -> Vec<Case> {
        cases::all()
    }
}

mod cases {
    use crate::ggml::Type;
    use crate::ggml::make::{Fill, Make, T};
    use crate::ops::Case;

    /// Far positions too: there the CPU's own rounding counts.
    fn positions(m: &Make, n: i64) -> T<'_> {
        m.filled(Type::I32, [n, 1, 1, 1], Fill::Ints(vec![0, 1, 17, 4095, 130_001, -3]))
    }

    struct Form {
        n_dims: i32,
        mode: i32,
        sections: [i32; 4],
        ext_factor: f32,
        factors: bool,
        back: bool,
    }

    const PLAIN: Form = Form { n_dims: 128, mode: 0, sections: [0; 4], ext_factor: 0.0, factors: false, back: false };

    fn rope<'a>(m: &'a Make, a: T<'a>, form: &Form) -> T<'a> {
        let tokens = m.ne(a)[2];
        let &Form { n_dims, mode, sections, ext_factor, .. } = form;
        let pos = positions(m, if mode & 8 == 0 { tokens } else { 4 * tokens });
        let factors = form.factors.then(|| m.filled(Type::F32, [i64::from(n_dims), 1, 1, 1], Fill::Uniform(0.9, 1.1)));
        m.rope(a, pos, factors, form.back, n_dims, sections, mode, 4096, [10_000.0, 0.7, ext_factor, 1.1, 32.0, 1.0])
    }

    pub(super) fn all() -> Vec<Case> {
        let mut cases = Vec::new();
        let mut add = |name: &str, ty, ne: [i64; 4], form: Form| {
            cases.push(Case::new(format!("{name} {ty} {ne:?}"), move |m| rope(m, m.input(ty, ne), &form)));
        };
        for ty in [Type::F32, Type::F16] {
            add("normal", ty, [128, 32, 2, 1], PLAIN);
            add("normal, part of a row", ty, [80, 5, 6, 1], Form { n_dims: 32, ..PLAIN });
            add("neox, yarn, factors", ty, [128, 8, 5, 1], Form { mode: 2, ext_factor: 0.8, factors: true, ..PLAIN });
            add("neox, back", ty, [64, 8, 5, 1], Form { mode: 2, n_dims: 48, back: true, ..PLAIN });
        }
        add("normal, batches", Type::F32, [128, 3, 4, 2], Form { back: true, ..PLAIN });
        add("many tokens", Type::F32, [4, 2, 70_000, 1], Form { n_dims: 4, ..PLAIN });
        add("many heads", Type::F32, [4, 70_000, 1, 1], Form { n_dims: 2, mode: 2, ..PLAIN });
        add("mrope", Type::F32, [128, 12, 3, 2], Form { mode: 8, sections: [16, 24, 24, 0], ..PLAIN });
        add("mrope, part", Type::F16, [128, 12, 3, 1], Form { mode: 8, n_dims: 64, sections: [8, 12, 6, 3], factors: true, ..PLAIN });
        add("imrope", Type::F32, [128, 12, 3, 1], Form { mode: 40, sections: [24, 20, 20, 0], ext_factor: 0.5, ..PLAIN });
        add("vision", Type::F32, [80, 16, 3, 1], Form { mode: 24, n_dims: 40, sections: [20, 20, 0, 0], ..PLAIN });
        add("vision, empty section", Type::F32, [80, 16, 3, 1], Form { mode: 24, n_dims: 40, sections: [9, 0, 7, 4], back: true, ..PLAIN });
        cases.push(Case::new("permuted view of a wider tensor", |m| {
            let wide = m.permute(m.input(Type::F32, [192, 5, 4, 2]), [0, 2, 1, 3]);
            let [_, nb1, nb2, nb3] = m.nb(wide);
            rope(m, m.view(wide, [128, 4, 5, 2], [nb1, nb2, nb3], 4 * 40), &Form { mode: 2, ..PLAIN })
        }));
        cases.push(Case::new("in place", |m| {
            let sum = m.add(m.input(Type::F32, [64, 4, 3, 1]), m.input(Type::F32, [64, 4, 3, 1]));
            m.rope_inplace(sum, positions(m, 3), 40, 2)
        }));
        for mode in [0, 2] {
            cases.push(Case::new(format!("turned from element 16, mode {mode}"), move |m| {
                let out = rope(m, m.input(Type::F32, [128, 4, 3, 1]), &Form { n_dims: 64, mode, ..PLAIN });
                m.rope_set_offset(out, 16)
            }));
        }
        cases
    }
}
