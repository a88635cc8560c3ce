//! OUT_PROD: the product of src0 and the transpose of src1, where src0 is a float or quantised and its batches may be shared.

use anyhow::Result;

use super::bind::{read, write};
use super::{Case, Planner, Room, elem, grid, split};
use crate::ggml::{Node, Type};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct OutProd;
pub(super) static ROOM: OutProd = OutProd;

/// The shader's tile and its workgroup.
const SIDE: u32 = 64;
const WG_SIZE: u32 = 256;

impl Room for OutProd {
    type Choice = ();

    fn choose(&self, node: &Node, caps: &Caps) -> Result<()> {
        let (a, b) = (node.source(0)?, node.source(1)?);
        if !a.ty.is_float() && !a.ty.is_quant() {
            crate::unsupported!("a first source of the type {}", a.ty);
        }
        elem::need_rows(a, "a first source")?;
        elem::need_float(b)?;
        elem::need(&node.dst, Type::F32, "a result")?;
        if caps.max_invocations < WG_SIZE {
            crate::unsupported!("workgroups of {} (it needs {WG_SIZE})", caps.max_invocations);
        }
        Ok(())
    }

    fn plan(&self, node: &Node, _choice: &(), planner: &mut Planner<'_>) -> Result<()> {
        let (a, b, dst) = (node.source(0)?, node.source(1)?, &node.dst);
        // Nothing is read from sources without elements: anything can be bound.
        let (a, b, k) = if a.is_empty() { (dst, dst, 0) } else { (a, b, a.ne[1]) };
        let caps = planner.caps();
        let (wa, wb) = (elem::word(a.ty, caps, false, false), elem::word(b.ty, caps, false, false));
        let bound = planner.bind(&[read("src0", a, wa), read("src1", b, wb), write("dst", dst, "f32")])?;
        let [ne0, ne1, ne2, ne3] = dst.ne;
        let params = params::out_prod::Params {
            k: k as u32,
            ne0: ne0 as u32,
            ne1: ne1 as u32,
            ne2: ne2 as u32,
            batches: (ne2 * ne3) as u32,
            ratio2: (ne2 / a.ne[2]) as u32,
            ratio3: (ne3 / a.ne[3]) as u32,
            src0_view: bound.view("src0", a)?,
            src1_view: bound.view("src1", b)?,
            dst_view: bound.view("dst", dst)?,
        };
        let variant = elem::define(Variant::new("out_prod").flag("BLOCKS", a.ty.is_quant()), &[("SRC0", a.ty, wa), ("SRC1", b.ty, wb)]);
        planner.dispatch(variant, &bound, &params, grid::groups(ne0, SIDE) * grid::groups(ne1, SIDE) * ne2 * ne3)
    }

    fn axes(&self, _node: &Node) -> Vec<split::Axis> {
        use split::Follow::{Group, Same, Whole};
        let axis = |dim, sources: [split::Follow; 2]| split::Axis { dim, step: 1, sources: sources.to_vec() };
        vec![axis(3, [Group(3), Same(3)]), axis(2, [Group(2), Same(2)]), axis(1, [Whole, Same(0)])]
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for (m0, n, k) in [(64, 64, 16), (65, 3, 17), (1, 70, 1), (256, 16, 100)] {
            for ty in [Type::F32, Type::F16] {
                cases.push(Case::new(format!("{ty} {m0} x {n}, k {k}"), move |m| {
                    m.out_prod(m.input(ty, [m0, k, 2, 3]), m.input(Type::F32, [n, k, 2, 3]))
                }));
            }
        }
        for ty in Type::all().filter(|t| t.is_quant()) {
            cases.push(Case::new(format!("{ty}"), move |m| m.out_prod(m.input(ty, [256, 33, 2, 1]), m.input(Type::F32, [9, 33, 2, 1]))));
        }
        cases.push(Case::new("shared batches", |m| m.out_prod(m.input(Type::F32, [40, 20, 2, 1]), m.input(Type::F32, [30, 20, 6, 2]))));
        cases.push(Case::new("second source transposed", |m| {
            m.out_prod(m.input(Type::F32, [40, 20, 2, 1]), m.permute(m.input(Type::F32, [20, 30, 2, 1]), [1, 0, 2, 3]))
        }));
        cases
    }
}
