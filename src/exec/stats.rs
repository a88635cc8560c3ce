//! What this process has computed so far: counters for programs and tests.

use std::sync::atomic::{AtomicU64, Ordering};

static NODES: AtomicU64 = AtomicU64::new(0);
static PLANS: AtomicU64 = AtomicU64::new(0);
static FUSED: AtomicU64 = AtomicU64::new(0);

/// Graph nodes that were computed.
pub fn nodes() -> u64 {
    NODES.load(Ordering::Relaxed)
}

/// Plans that were built: graphs that no kept plan served.
pub fn plans() -> u64 {
    PLANS.load(Ordering::Relaxed)
}

/// Fusions in those plans.
pub fn fused() -> u64 {
    FUSED.load(Ordering::Relaxed)
}

pub(super) fn count_nodes(n: usize) {
    NODES.fetch_add(n as u64, Ordering::Relaxed);
}

pub(super) fn count_plan() {
    PLANS.fetch_add(1, Ordering::Relaxed);
}

pub(super) fn count_fusion() {
    FUSED.fetch_add(1, Ordering::Relaxed);
}
