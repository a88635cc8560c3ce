//! Fusions of MUL_MATs that share src1, for few columns: several matrices in one dispatch, and gate, up and GLU in one.

use anyhow::Result;

use super::vec;
use crate::ggml::{Node, Tensor, sys};
use crate::ops::bind::{Bound, Operand, read, read_bytes, write};
use crate::ops::{Planner, elem, grid};
use crate::shader::{Variant, params};

/// Columns up to which fusing pays: with more, the products themselves take long.
pub const MAX_COLUMNS: u64 = 8;

/// Whether two nodes multiply matrices of one kind with the same columns, so that one kernel can do both.
pub fn alike(a: &Node, b: &Node) -> bool {
    let (Some(Some(aw)), Some(Some(bw))) = (a.src.first(), b.src.first()) else { return false };
    let (Some(Some(ax)), Some(Some(bx))) = (a.src.get(1), b.src.get(1)) else { return false };
    let plain =
        |w: &Tensor, n: &Node| w.contiguous() && n.dst.contiguous() && n.dst.ne[2] == 1 && n.dst.ne[3] == 1 && w.ne[2] == 1 && w.ne[3] == 1;
    ax.id == bx.id && aw.ty == bw.ty && aw.ne[0] == bw.ne[0] && ax.ne[1] <= MAX_COLUMNS && plain(aw, a) && plain(bw, b)
}

/// Two or three MUL_MATs in one dispatch. False if they are not alike or their matrices do not fit one binding.
pub fn together(nodes: &[&Node], planner: &mut Planner<'_>) -> Result<bool> {
    let Some(first) = nodes.first() else { return Ok(false) };
    if !nodes[1..].iter().all(|n| alike(first, n)) {
        return Ok(false);
    }
    let Some((start, bytes)) = one_binding(nodes, planner)? else { return Ok(false) };
    const NAMES: [&str; 3] = ["a_dst", "b_dst", "c_dst"];
    let outputs: Vec<Operand<'_>> = NAMES.iter().zip(nodes).map(|(name, n)| write(name, &n.dst, "f32")).collect();
    let kernel = Kernel::bind(first, start, bytes, &outputs, 1, planner)?;
    let variant = kernel.variant.clone().number("MATRICES", nodes.len());
    let mut places = [(0, 0, 0); 3];
    let mut groups = 0;
    for ((place, node), name) in places.iter_mut().zip(nodes).zip(NAMES) {
        let a = node.source(0)?;
        *place = (a.ne[1] as u32, kernel.matrix(a, start)?, kernel.bound.offset(name)?);
        groups += grid::groups(a.ne[1], kernel.rows);
    }
    let params = kernel.params(places);
    planner.dispatch(variant, &kernel.bound, &params, groups)?;
    Ok(true)
}

/// MUL_MAT (gate), MUL_MAT (up) and the GLU that alone uses them. False if the shapes or the kind of GLU don't fit.
pub fn gated(nodes: &[&Node], planner: &mut Planner<'_>) -> Result<bool> {
    let [first, second, glu] = nodes else { return Ok(false) };
    let gate_name = match glu.params.u32(0) {
        sys::GGML_GLU_OP_SWIGLU => "swiglu",
        sys::GGML_GLU_OP_GEGLU => "geglu",
        sys::GGML_GLU_OP_GEGLU_QUICK => "geglu_quick",
        sys::GGML_GLU_OP_REGLU => "reglu",
        _ => return Ok(false),
    };
    let (Ok(gate), Ok(up)) = (glu.source(0), glu.source(1)) else { return Ok(false) };
    let (gate, up) = if gate.id == first.dst.id && up.id == second.dst.id {
        (first, second)
    } else if gate.id == second.dst.id && up.id == first.dst.id {
        (second, first)
    } else {
        return Ok(false);
    };
    let fits = alike(first, second)
        && gate.source(0)?.ne[1] == up.source(0)?.ne[1]
        && glu.dst.contiguous()
        && glu.dst.ty == crate::ggml::Type::F32;
    if !fits || glu.params.i32(1) != 0 {
        return Ok(false);
    }
    let Some((start, bytes)) = one_binding(&[gate, up], planner)? else { return Ok(false) };
    let kernel = Kernel::bind(gate, start, bytes, &[write("a_dst", &glu.dst, "f32")], 2, planner)?;
    let variant = kernel.variant.clone().flag("GLU", true).define("GATE", gate_name);
    let (a, b) = (gate.source(0)?, up.source(0)?);
    let dst = kernel.bound.offset("a_dst")?;
    let params = kernel.params([(a.ne[1] as u32, kernel.matrix(a, start)?, dst), (b.ne[1] as u32, kernel.matrix(b, start)?, 0), (0, 0, 0)]);
    planner.dispatch(variant, &kernel.bound, &params, grid::groups(a.ne[1], kernel.rows))?;
    Ok(true)
}

/// The range that holds the matrices of all nodes, if it is in one buffer, apart from the results, and no larger than a binding.
fn one_binding(nodes: &[&Node], planner: &Planner<'_>) -> Result<Option<(u64, u64)>> {
    let (mut start, mut end) = (u64::MAX, 0);
    let mut space = None;
    for node in nodes {
        let a = node.source(0)?;
        let own = planner.space_of(a.data);
        if own.is_none() || *space.get_or_insert(own) != own || planner.space_of(node.dst.data) == own {
            return Ok(None);
        }
        start = start.min(a.data);
        end = end.max(a.data + a.span());
    }
    // From an aligned address, so that a matrix is as aligned in the binding as it is in memory.
    let start = start - start % 256;
    Ok((end - start + 512 <= planner.caps().max_binding).then_some((start, end - start)))
}

/// What both fusions share.
struct Kernel {
    bound: Bound,
    variant: Variant,
    /// Rows of a workgroup.
    rows: u32,
    k: u32,
    src0_nb1: u32,
    src1_offset: u32,
    src1_nb1: u32,
    src0_offset: u32,
}

impl Kernel {
    /// `halves`: matrices of which a team takes a row each.
    fn bind(node: &Node, start: u64, bytes: u64, outputs: &[Operand<'_>], halves: u32, planner: &mut Planner<'_>) -> Result<Self> {
        let (a, x) = (node.source(0)?, node.source(1)?);
        let choice = vec::choose(a, x.ne[1], planner.caps()).sharing(halves);
        let words = vec::Words::of(a, x, planner.caps());
        let mut operands = vec![read_bytes("src0", start, bytes, words.a).of_type(a.ty), read("src1", x, words.b)];
        operands.extend_from_slice(outputs);
        let bound = planner.bind(&operands)?;
        let variant = choice.define(Variant::new("mul_mat/vec_multi"), x.ne[1], planner.caps());
        let variant = elem::define(words.define(variant), &[("SRC0", a.ty, words.a), ("SRC1", x.ty, words.b)]);
        let (src1_offset, [src1_nb1, ..]) = super::places(&bound, "src1", x)?;
        let src0_offset = bound.offset("src0")?;
        Ok(Self {
            rows: choice.rows_of_workgroup(),
            k: a.ne[0] as u32,
            src0_nb1: a.nb[1] as u32,
            src1_offset,
            src1_nb1,
            src0_offset,
            bound,
            variant,
        })
    }

    /// Where a matrix begins in the binding.
    fn matrix(&self, a: &Tensor, start: u64) -> Result<u32> {
        Ok(self.src0_offset + u32::try_from(a.data - start)?)
    }

    /// Rows, place and place of the result of each matrix.
    fn params(&self, [a, b, c]: [(u32, u32, u32); 3]) -> params::mul_mat_vec_multi::Params {
        params::mul_mat_vec_multi::Params {
            k: self.k,
            src0_nb1: self.src0_nb1,
            src1_offset: self.src1_offset,
            src1_nb1: self.src1_nb1,
            a_rows: a.0,
            a_offset: a.1,
            a_dst_offset: a.2,
            b_rows: b.0,
            b_offset: b.1,
            b_dst_offset: b.2,
            c_rows: c.0,
            c_offset: c.1,
            c_dst_offset: c.2,
        }
    }
}
