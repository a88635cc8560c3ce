//! Workgroup counts: every grid of every op comes from here, so that none breaks above a dimension's limit (65,535).

use anyhow::Result;

use crate::error::Error;
use crate::gpu::Caps;

/// Spreads `workgroups` over the dimensions. The kernel finds its number with `workgroup_index` of `common/grid.wgsl` and must
/// leave if it is not below the count: there may be a few more.
pub fn spread(workgroups: u64, caps: &Caps) -> Result<[u32; 3]> {
    let limit = u64::from(caps.max_workgroups);
    let y = workgroups.div_ceil(limit).max(1);
    let z = y.div_ceil(limit).max(1);
    let y = y.div_ceil(z);
    let x = workgroups.div_ceil(y * z);
    if z > limit || x * y * z > u64::from(u32::MAX) {
        return Err(Error::Unsupported(format!("{workgroups} workgroups (the limit is {})", u32::MAX)).into());
    }
    Ok([x.max(1) as u32, y as u32, z as u32])
}

/// Workgroups for `items` with `size` items in each.
pub fn groups(items: u64, size: u32) -> u64 {
    items.div_ceil(u64::from(size.max(1)))
}

/// An error if a dimension is over the limit.
pub fn check(grid: [u32; 3], caps: &Caps) -> Result<()> {
    match grid.iter().find(|&&n| n > caps.max_workgroups) {
        Some(n) => Err(Error::Unsupported(format!("{n} workgroups in one dimension (the limit is {})", caps.max_workgroups)).into()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::testing::caps;

    #[test]
    fn every_count_is_covered_within_the_limits() -> Result<()> {
        let caps = caps();
        for n in [1, 2, 65_535, 65_536, 65_537, 131_070, 131_071, 10_000_019, 4_000_000_000] {
            let g = spread(n, &caps)?;
            check(g, &caps)?;
            let total: u64 = g.iter().map(|&d| u64::from(d)).product();
            assert!(total >= n, "{n}: {g:?} covers only {total}");
            assert!(total - n <= u64::from(g[1]) * u64::from(g[2]), "{n}: {g:?} wastes {}", total - n);
        }
        assert!(spread(1 << 40, &caps).is_err());
        Ok(())
    }
}
