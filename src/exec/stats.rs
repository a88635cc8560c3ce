//! What this process has computed so far: counters for programs and tests.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

static NODES: AtomicU64 = AtomicU64::new(0);
static PLANS: AtomicU64 = AtomicU64::new(0);
static FUSED: Mutex<BTreeMap<&str, u64>> = Mutex::new(BTreeMap::new());

/// Graph nodes that were computed.
pub fn nodes() -> u64 {
    NODES.load(Ordering::Relaxed)
}

/// Plans that were built: graphs that no kept plan served.
pub fn plans() -> u64 {
    PLANS.load(Ordering::Relaxed)
}

/// How often the fusion of this name is in those plans.
pub fn fused(name: &str) -> u64 {
    FUSED.lock().unwrap_or_else(PoisonError::into_inner).get(name).copied().unwrap_or(0)
}

pub(super) fn count_nodes(n: usize) {
    NODES.fetch_add(n as u64, Ordering::Relaxed);
}

pub(super) fn count_plan() {
    PLANS.fetch_add(1, Ordering::Relaxed);
}

pub(super) fn count_fusion(name: &'static str) {
    *FUSED.lock().unwrap_or_else(PoisonError::into_inner).entry(name).or_default() += 1;
}
