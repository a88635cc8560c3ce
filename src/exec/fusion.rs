//! TABLE of fusions: a pattern of nodes that one kernel computes together, one line each.

use anyhow::{Context, Result};

use crate::env;
use crate::ggml::graph::Graph;
use crate::ggml::{Node, sys};
use crate::ops::mul_mat::multi;
use crate::ops::{self, Planner, norm};

/// One line.
pub struct Fusion {
    /// For logs and tests.
    pub name: &'static str,
    /// Ops that follow each other, views between them left out.
    pub pattern: &'static [sys::ggml_op],
    /// Which of them (besides the last) have results that are stored all the same, so that others may use them. The other results
    /// must be used within the pattern only.
    pub kept: &'static [usize],
    /// Plans the nodes; false if shapes or types don't fit.
    pub plan: fn(&[&Node], &mut Planner<'_>) -> Result<bool>,
}

/// All fusions, longer ones first.
pub const TABLE: &[Fusion] = &[
    Fusion {
        name: "add_rms_norm_mul",
        pattern: &[sys::GGML_OP_ADD, sys::GGML_OP_RMS_NORM, sys::GGML_OP_MUL],
        kept: &[0],
        plan: norm::add_rms_norm_mul,
    },
    Fusion { name: "gate_up_glu", pattern: &[sys::GGML_OP_MUL_MAT, sys::GGML_OP_MUL_MAT, sys::GGML_OP_GLU], kept: &[], plan: multi::gated },
    Fusion {
        name: "three_mul_mat",
        pattern: &[sys::GGML_OP_MUL_MAT, sys::GGML_OP_MUL_MAT, sys::GGML_OP_MUL_MAT],
        kept: &[0, 1],
        plan: multi::together,
    },
    Fusion { name: "two_mul_mat", pattern: &[sys::GGML_OP_MUL_MAT, sys::GGML_OP_MUL_MAT], kept: &[0], plan: multi::together },
    Fusion { name: "rms_norm_mul", pattern: &[sys::GGML_OP_RMS_NORM, sys::GGML_OP_MUL], kept: &[], plan: norm::rms_norm_mul },
];

/// Plans a fusion that begins at node `i`, if there is one; gives how many nodes it covers.
pub fn plan(graph: Graph<'_>, i: usize, planner: &mut Planner<'_>) -> Result<Option<usize>> {
    if env::settings().disabled("fusion") {
        return Ok(None);
    }
    for fusion in TABLE.iter().filter(|f| f.pattern.first() == Some(&graph.op(i))) {
        let Some(indices) = matching(graph, i, fusion) else { continue };
        let nodes = indices.iter().map(|&n| graph.node(n)).collect::<Result<Vec<_>>>()?;
        if !joined(graph, &indices, &nodes, fusion) || nodes.iter().any(|n| n.dst.is_empty()) {
            continue;
        }
        let nodes: Vec<&Node> = nodes.iter().collect();
        planner.begin_node();
        if (fusion.plan)(&nodes, planner).with_context(|| format!("While planning the fusion {}", fusion.name))? {
            super::stats::count_fusion(fusion.name);
            let last = indices.last().copied().unwrap_or(i);
            return Ok(Some(last + 1 - i));
        }
    }
    Ok(None)
}

/// The nodes of the pattern from `i` on, views left out.
fn matching(graph: Graph<'_>, i: usize, fusion: &Fusion) -> Option<Vec<usize>> {
    let mut at = i;
    let mut indices = Vec::with_capacity(fusion.pattern.len());
    for &op in fusion.pattern {
        while at < graph.len() && ops::is_no_op(graph.op(at)) {
            at += 1;
        }
        if at >= graph.len() || graph.op(at) != op || !graph.computes(at) {
            return None;
        }
        indices.push(at);
        at += 1;
    }
    Some(indices)
}

/// Whether nobody outside of the pattern uses a result that is not stored.
fn joined(graph: Graph<'_>, indices: &[usize], nodes: &[Node], fusion: &Fusion) -> bool {
    (0..nodes.len() - 1).filter(|k| !fusion.kept.contains(k)).all(|k| {
        let hidden = &nodes[k].dst;
        let inside = nodes.iter().flat_map(Node::sources).filter(|s| s.id == hidden.id).count();
        let output = nodes[k].flags & sys::GGML_TENSOR_FLAG_OUTPUT as i32 != 0;
        inside > 0 && !output && graph.uses(indices[k]) == Some(inside as u32)
    })
}
