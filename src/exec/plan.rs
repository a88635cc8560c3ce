//! A plan: a graph turned into dispatches with their pipelines and bind groups, kept while the graph stays the same.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Weak};

use anyhow::{Context, Result};

use super::memory::{self, DeviceSpaces, Region};
use super::scratch::{self, Arena, Scratch};
use super::shared::Shared;
use super::{fusion, stats};
use crate::error::Error;
use crate::ggml::graph::{Graph, Snapshot};
use crate::gpu::Buffer;
use crate::gpu::encoder::{self, Dispatches, Recording};
use crate::ops::plan::{self, GRIDS, SCRATCH, Step};
use crate::ops::{self, Planner};

/// A graph ready to be submitted again and again.
pub struct Plan {
    snapshot: Snapshot,
    recording: Recording,
    dispatches: Dispatches,
    /// Nodes that it computes.
    nodes: usize,
    /// What each dispatch computes, for the profile.
    labels: Vec<String>,
    regions: Vec<Weak<Region>>,
    // Bound by the recording.
    _arena: Option<Arena>,
    _scratch: Option<Arc<Buffer>>,
}

impl Plan {
    /// Plans a graph and compiles what it needs.
    pub fn build(graph: Graph<'_>, shared: &Arc<Shared>, scratch: &mut Scratch) -> Result<Self> {
        let (steps, names, nodes, scratch_bytes) = steps(graph, shared)?;
        stats::count_plan();
        let variants: Vec<_> = steps.iter().map(|s| &s.variant).collect();
        let pipelines = shared.store().get(shared.device(), &variants)?;
        let scratch = scratch.get(shared.device(), scratch_bytes)?;
        let big: Vec<&[u32]> = steps.iter().filter(|s| s.variant.params_in_buffer()).map(|s| s.params.as_slice()).collect();
        let arena = if big.is_empty() { None } else { Some(scratch::arena(shared.device(), &big)?) };

        let mut plan = Self {
            snapshot: graph.snapshot(),
            recording: Recording::new(shared.device()),
            dispatches: Dispatches::default(),
            nodes,
            labels: Vec::new(),
            regions: Vec::new(),
            _arena: None,
            _scratch: None,
        };
        let uses_grids = steps.iter().any(|s| s.ranges.iter().any(|r| r.start >= GRIDS.start));
        let grids = if uses_grids { Some(shared.grids()?) } else { None };
        let mut known_pipelines: HashMap<*const _, u32> = HashMap::new();
        let mut known_groups: HashMap<(u32, u32, Vec<plan::Range>), u32> = HashMap::new();
        let mut in_arena = 0;
        for ((step, pipeline), name) in steps.iter().zip(&pipelines).zip(names) {
            let recording = &mut plan.recording;
            let p = *known_pipelines.entry(Arc::as_ptr(pipeline)).or_insert_with(|| recording.pipeline(pipeline));
            // Groups are shared by pipelines of one layout.
            let own_params = step.variant.params_in_buffer();
            let layout = (step.variant.read_only(), step.variant.immediate_bytes(), step.ranges.clone());
            let group = match known_groups.get(&layout) {
                Some(&group) if !own_params => group,
                _ => {
                    let held = step.ranges.iter().map(|r| memory::find(r.start)).collect::<Vec<_>>();
                    let mut ranges = Vec::with_capacity(held.len() + 1);
                    for (range, region) in step.ranges.iter().zip(&held) {
                        ranges.push(bind(range, region.as_deref(), scratch.as_deref(), grids.as_deref())?);
                    }
                    if let (true, Some(arena)) = (own_params, &arena) {
                        ranges.push(arena.range(in_arena));
                        in_arena += 1;
                    }
                    let group = recording.bind_group(p, &ranges);
                    if !own_params {
                        known_groups.insert(layout, group);
                    }
                    for region in held.into_iter().flatten() {
                        if !plan.regions.iter().any(|r| std::ptr::eq(r.as_ptr(), Arc::as_ptr(&region))) {
                            plan.regions.push(Arc::downgrade(&region));
                        }
                    }
                    group
                }
            };
            plan.dispatches.push(p, group, if own_params { &[] } else { &step.params }, step.grid);
            plan.labels.push(name);
        }
        plan._arena = arena;
        plan._scratch = scratch;
        crate::log!(Debug, "planned {} nodes as {} dispatches, {} bytes of scratch", graph.len(), plan.dispatches.len(), scratch_bytes);
        Ok(plan)
    }

    /// Whether it computes this graph.
    pub fn serves(&self, graph: Graph<'_>) -> bool {
        graph.matches(&self.snapshot)
    }

    /// Whether all the buffers that it names are still there.
    pub fn live(&self) -> bool {
        self.regions.iter().all(|r| r.upgrade().is_some_and(|r| r.live()))
    }

    /// Nodes of the graph that it computes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Dispatches.
    pub fn len(&self) -> usize {
        self.dispatches.len()
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.dispatches.is_empty()
    }

    /// Submits a part. Does not wait.
    pub fn submit(&self, part: Range<usize>) -> Result<()> {
        self.recording.submit(&self.dispatches, part)
    }

    /// Submits a part with a time for each dispatch.
    pub fn submit_timed(&self, part: Range<usize>, timestamps: &crate::gpu::timing::Timestamps) -> Result<()> {
        self.recording.submit_timed(&self.dispatches, part, timestamps)
    }

    /// What dispatch `i` computes.
    pub fn label(&self, i: usize) -> &str {
        self.labels.get(i).map_or("", String::as_str)
    }
}

/// The steps of a graph in order, a label for each, how many nodes they compute, and the scratch memory that they need.
fn steps(graph: Graph<'_>, shared: &Arc<Shared>) -> Result<(Vec<Step>, Vec<String>, usize, u64)> {
    let spaces = DeviceSpaces(shared);
    let mut planner = Planner::new(shared.caps(), &spaces);
    let mut names = Vec::new();
    let (mut i, mut nodes) = (0, 0);
    while i < graph.len() {
        if ops::is_no_op(graph.op(i)) || !graph.computes(i) {
            i += 1;
            continue;
        }
        let before = planner.len();
        let used = match fusion::plan(graph, i, &mut planner)? {
            Some(used) => used,
            None => {
                let node = graph.node(i).with_context(|| format!("While reading node {i}"))?;
                ops::plan(&node, &mut planner)?;
                1
            }
        };
        let what = if crate::env::settings().profile { graph.describe_nodes(i, used) } else { String::new() };
        names.extend(std::iter::repeat_n(what, planner.len() - before));
        nodes += (i..i + used).filter(|&n| !ops::is_no_op(graph.op(n))).count();
        i += used;
    }
    let (steps, scratch) = planner.finish();
    Ok((steps, names, nodes, scratch))
}

/// The binding for a range of addresses.
fn bind<'a>(
    range: &plan::Range,
    region: Option<&'a Region>,
    scratch: Option<&'a Buffer>,
    grids: Option<&'a Buffer>,
) -> Result<encoder::Range<'a>> {
    if range.start >= GRIDS.start {
        return Ok(encoder::Range { buffer: grids.context("no grids")?, offset: range.start - GRIDS.start, size: range.size });
    }
    if range.start >= SCRATCH.start {
        let buffer = scratch.context("no scratch memory")?;
        return Ok(encoder::Range { buffer, offset: range.start - SCRATCH.start, size: range.size });
    }
    let region = region.ok_or_else(|| Error::Unsupported("a tensor lies in a buffer that is not this device's".to_owned()))?;
    Ok(encoder::Range { buffer: region.buffer(), offset: range.start - region.base(), size: range.size })
}
