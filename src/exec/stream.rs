//! A stream: plans kept, work submitted ahead, waits only where somebody needs the result.

use std::collections::VecDeque;
use std::sync::Arc;

use anyhow::Result;

use super::plan::Plan;
use super::profile::Profile;
use super::scratch::Scratch;
use super::shared::Shared;
use super::stats;
use super::transfer::Read;
use crate::env;
use crate::error::Error;
use crate::ggml::graph::Graph;
use crate::gpu::queue::Fence;

/// Plans kept: a context alternates between a few graphs (prompt, one token, another sequence length).
const PLANS: usize = 16;
/// Graphs in flight before a new one waits for the oldest.
const IN_FLIGHT: usize = 4;
/// Dispatches of the first submission: small, so that the GPU starts early.
const FIRST: usize = 16;
/// Dispatches of each later submission.
const LATER: usize = 96;

/// What becomes of the bytes that were read.
pub type Take = Box<dyn FnMut(&mut Read) -> Result<()> + Send>;

/// A read that waits for the next synchronisation.
pub struct PendingRead {
    /// Where the bytes come from.
    pub read: Read,
    /// Takes them; called once by `synchronize`.
    pub take: Take,
}

/// One ggml backend's state.
pub struct Stream {
    shared: Arc<Shared>,
    plans: VecDeque<Plan>,
    freed: u64,
    scratch: Scratch,
    in_flight: VecDeque<Fence>,
    reads: Vec<PendingRead>,
    errors: u64,
    profile: Option<Profile>,
}

impl Stream {
    /// A stream on a device.
    pub fn new(shared: &Arc<Shared>) -> Self {
        Self {
            shared: Arc::clone(shared),
            plans: VecDeque::new(),
            freed: shared.freed(),
            scratch: Scratch::default(),
            in_flight: VecDeque::new(),
            reads: Vec::new(),
            errors: shared.device().error_count(),
            profile: (env::settings().profile && shared.caps().timestamps).then(Profile::default),
        }
    }

    /// What the device shares.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Submits a graph. Does not wait for it, but for older ones if too many are in flight.
    pub fn compute(&mut self, graph: Graph<'_>) -> Result<()> {
        self.shared.device().check_alive()?;
        self.drop_dead_plans();
        let index = match self.plans.iter().position(|p| p.serves(graph)) {
            Some(index) if !env::settings().disabled("plan") => index,
            _ => {
                let plan = Plan::build(graph, &self.shared, &mut self.scratch)?;
                self.plans.truncate(PLANS - 1);
                self.plans.push_front(plan);
                0
            }
        };
        // Most recently used first.
        if let Some(plan) = self.plans.remove(index) {
            self.plans.push_front(plan);
        }
        let Some(plan) = self.plans.front() else { return Ok(()) };
        stats::count_nodes(plan.nodes());
        if let Some(profile) = &mut self.profile {
            return profile.run(self.shared.device(), plan);
        }
        let mut start = 0;
        while start < plan.len() {
            let size = if start == 0 { FIRST } else { LATER };
            let end = plan.len().min(start + size);
            // No small last piece.
            let end = if plan.len() - end < size / 2 { plan.len() } else { end };
            plan.submit(start..end)?;
            start = end;
        }
        if !plan.is_empty() {
            self.in_flight.push_back(Fence::new(self.shared.device()));
        }
        while self.in_flight.len() > IN_FLIGHT {
            if let Some(fence) = self.in_flight.pop_front() {
                fence.wait()?;
            }
        }
        self.check_errors()
    }

    /// Waits for everything submitted, and hands over the reads that were queued.
    pub fn synchronize(&mut self) -> Result<()> {
        let mut result = Ok(());
        for fence in self.in_flight.drain(..) {
            result = result.and(fence.wait());
        }
        for mut pending in self.reads.drain(..) {
            result = result.and((pending.take)(&mut pending.read));
        }
        result.and(self.check_errors())
    }

    /// Queues a read; its bytes are there after the next synchronisation.
    pub fn read_later(&mut self, read: PendingRead) {
        self.reads.push(read);
    }

    fn drop_dead_plans(&mut self) {
        let freed = self.shared.freed();
        if freed != self.freed {
            self.freed = freed;
            self.plans.retain(Plan::live);
        }
    }

    /// An error if Dawn has reported any since the last check.
    fn check_errors(&mut self) -> Result<()> {
        let errors = self.shared.device().error_count();
        if errors == self.errors {
            return Ok(());
        }
        let new = errors - self.errors;
        self.errors = errors;
        Err(Error::Dawn(format!("{} ({new} new)", self.shared.device().last_error())).into())
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Err(e) = self.synchronize() {
            crate::log!(Warn, "While freeing a backend: {e:#}");
        }
        if let Some(profile) = &self.profile {
            profile.report();
        }
    }
}
