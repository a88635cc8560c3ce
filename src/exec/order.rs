//! Before ggml allocates a graph's memory: brings nodes together that a fusion computes at once, and keeps their sources alive.

use crate::ggml::graph::GraphMut;
use crate::ggml::{Node, sys};
use crate::ops::mul_mat::multi;

/// How far ahead a partner is looked for: a decoder's Q, K and V lie within ten nodes of each other.
const WINDOW: usize = 16;

/// Moves MUL_MATs that share src1 and could be one dispatch behind the first of them.
pub fn optimize(graph: &mut GraphMut<'_>) {
    let mut i = 0;
    while i < graph.len() {
        let mut together = 1;
        if graph.op(i) == sys::GGML_OP_MUL_MAT
            && let Ok(first) = graph.node(i)
        {
            let mut j = i + 1;
            while j < graph.len().min(i + WINDOW) && together < 3 {
                let partner = if graph.op(j) == sys::GGML_OP_MUL_MAT { graph.node(j).ok() } else { None };
                if partner.is_some_and(|node| multi::alike(&first, &node) && free_to_move(graph, &node, i + 1, j)) {
                    graph.move_up(j, i + together);
                    together += 1;
                }
                j += 1;
            }
            keep_sources(graph, i, together);
        }
        i += together;
    }
}

/// Whether nothing from `start` up to `j` makes or changes what the node reads.
fn free_to_move(graph: &GraphMut<'_>, node: &Node, start: usize, j: usize) -> bool {
    (start..j).all(|k| {
        let Some((id, root)) = graph.identity(k) else { return false };
        node.sources().all(|s| s.id != id && s.root != id && s.root != root && s.id != root)
    })
}

/// A fused kernel still reads the first node's sources while it writes the last one's result.
fn keep_sources(graph: &mut GraphMut<'_>, i: usize, together: usize) {
    // A GLU behind the products of gate and up joins them.
    let last = if graph.len() > i + together && graph.op(i + together) == sys::GGML_OP_GLU { i + together } else { i + together - 1 };
    if last > i {
        graph.keep_source(i, 1, last);
    }
}
