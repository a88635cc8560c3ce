//! Times of dispatches, summed up by what they compute. Used with GGML_WEBGPU_PROFILE.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Result;

use super::plan::Plan;
use crate::gpu::Device;
use crate::gpu::timing::{MAX_DISPATCHES, Timestamps};

/// Sums over all graphs of a stream.
#[derive(Default)]
pub struct Profile {
    sums: BTreeMap<String, (u64, u64)>,
}

impl Profile {
    /// Submits a plan in timed pieces and waits for each.
    pub fn run(&mut self, device: &Arc<Device>, plan: &Plan) -> Result<()> {
        let mut start = 0;
        while start < plan.len() {
            let end = plan.len().min(start + MAX_DISPATCHES);
            let timestamps = Timestamps::new(device, end - start)?;
            plan.submit_timed(start..end, &timestamps)?;
            for (i, time) in timestamps.read(end - start)?.into_iter().enumerate() {
                let sum = self.sums.entry(plan.label(start + i).to_owned()).or_default();
                *sum = (sum.0 + 1, sum.1 + time);
            }
            start = end;
        }
        Ok(())
    }

    /// Logs a table, the longest first.
    pub fn report(&self) {
        let mut rows: Vec<_> = self.sums.iter().collect();
        rows.sort_by_key(|r| std::cmp::Reverse(r.1.1));
        let total: u64 = rows.iter().map(|r| r.1.1).sum();
        crate::log!(Info, "profile: {:.3} ms in all", total as f64 / 1e6);
        for (label, &(count, time)) in rows {
            let each = time as f64 / count.max(1) as f64 / 1e3;
            crate::log!(Info, "{:5.1} % {:9.1} us each {count:7} x {label}", 100.0 * time as f64 / total.max(1) as f64, each);
        }
    }
}
