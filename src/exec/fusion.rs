//! TABLE of fusions: a pattern of nodes that one room computes together, one line each.

use anyhow::Result;

use crate::ggml::graph::Graph;
use crate::ops::Planner;

/// Plans a fusion that begins at node `i`, if there is one; gives how many nodes it covers.
pub fn plan(_graph: Graph<'_>, _i: usize, _planner: &mut Planner<'_>) -> Result<Option<usize>> {
    Ok(None)
}
