//! ADD_REL_POS: relative positions of columns and rows, added to windows of attention. F32.

use anyhow::Result;

use super::bind::{read, read_elementwise, write};
use super::split::{Axis, Follow};
use super::{Case, Planner, Room, elem, grid};
use crate::ggml::{Node, Type};
use crate::gpu::Caps;
use crate::shader::{Variant, params};

pub(super) struct AddRelPos;
pub(super) static ROOM: AddRelPos = AddRelPos;

const WG_SIZE: u32 = 256;

impl Room for AddRelPos {
    type Choice = ();

    fn choose(&self, node: &Node, _caps: &Caps) -> Result<()> {
        let (src, width, height, dst) = (node.source(0)?, node.source(1)?, node.source(2)?, &node.dst);
        for t in [src, width, height, dst] {
            elem::need(t, Type::F32, "a tensor")?;
            if !t.contiguous() {
                crate::unsupported!("a tensor with gaps ({:?} bytes)", t.nb);
            }
        }
        if width.elements() * width.ne[0] != dst.elements() || !width.same_shape(height) {
            crate::unsupported!("positions {:?} and {:?} for {:?}", width.ne, height.ne, dst.ne);
        }
        Ok(())
    }

    fn plan(&self, node: &Node, &(): &(), planner: &mut Planner<'_>) -> Result<()> {
        let (src, width, height, dst) = (node.source(0)?, node.source(1)?, node.source(2)?, &node.dst);
        let bound = planner.bind(&[
            read_elementwise("src", src, "f32"),
            read("width", width, "f32"),
            read("height", height, "f32"),
            write("dst", dst, "f32"),
        ])?;
        let params = params::add_rel_pos::Params {
            count: dst.elements() as u32,
            side: width.ne[0] as u32,
            src_offset: bound.offset("src")?,
            width_offset: bound.offset("width")?,
            height_offset: bound.offset("height")?,
            dst_offset: bound.offset("dst")?,
        };
        let wg_size = WG_SIZE.min(planner.caps().max_invocations);
        let variant = Variant::new("add_rel_pos").constant("wg_size", wg_size);
        planner.dispatch(variant, &bound, &params, grid::groups(dst.elements(), wg_size))
    }

    fn axes(&self, _node: &Node) -> Vec<Axis> {
        // Windows, then rows of their queries: what is left has no gaps.
        let axis = |dim, follow| Axis { dim, step: 1, sources: vec![Follow::Same(dim), follow, follow] };
        vec![axis(2, Follow::Same(3)), axis(1, Follow::Group(2))]
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for (side, heads) in [(4, 3), (14, 1), (5, 2)] {
            for inplace in [false, true] {
                cases.push(Case::new(format!("windows of {side}, {heads} heads, in place: {inplace}"), move |m| {
                    let a = m.cont(m.input(Type::F32, [side * side, side * side, heads, 1]));
                    let [width, height] = [(); 2].map(|()| m.input(Type::F32, [side, side, side, heads]));
                    if inplace { m.add_rel_pos_inplace(a, width, height) } else { m.add_rel_pos(a, width, height) }
                }));
            }
        }
        cases
    }
}
