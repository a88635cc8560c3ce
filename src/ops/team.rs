//! Teams: the invocations that share one row of a recurrent state, for the rooms that run over tokens. The row's elements stay in
//! their registers from the first token to the last; `shaders/common/team.wgsl` is the other half.

use anyhow::Result;

use super::{elem, grid};
use crate::ggml::{Node, Type};
use crate::gpu::Caps;
use crate::shader::Variant;

/// Elements of an invocation that suffice to keep it busy.
const FEW: u64 = 8;
/// Elements of an invocation that fit its registers.
const MANY: u64 = 32;
/// Elements of an invocation that its compiler still takes; they overflow into memory.
const MOST: u64 = 256;

/// How rows are shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Team {
    /// Invocations for a row, a power of two.
    size: u32,
    /// Elements of the row for each.
    each: u32,
    /// The row's length.
    length: u32,
    /// Invocations of a workgroup.
    wg_size: u32,
    subgroups: bool,
}

impl Team {
    /// For rows of `length` elements.
    pub(super) fn new(length: u64, caps: &Caps) -> Result<Self> {
        let workgroup = 1_u64 << caps.max_invocations.min(256).ilog2();
        let within_subgroup = caps.subgroups.map(|(least, _)| 1 << least.clamp(1, 16).ilog2());
        // Rows too long for the registers of a team within a subgroup are summed through the workgroup's memory.
        let subgroup = within_subgroup.filter(|limit| length.div_ceil(*limit) <= MANY);
        let limit = subgroup.unwrap_or(if length <= 16 * MANY { 16 } else { workgroup });
        let size = length.div_ceil(FEW).max(1).next_power_of_two().min(limit);
        let each = length.div_ceil(size).max(1);
        if each > MOST {
            crate::unsupported!("a state with rows of {length} elements (the limit is {})", MOST * limit);
        }
        let wg_size = size.max(64.min(workgroup)) as u32;
        Ok(Self { size: size as u32, each: each as u32, length: length as u32, wg_size, subgroups: subgroup.is_some() })
    }

    /// Rows of a workgroup.
    pub(super) fn rows(&self) -> u32 {
        self.wg_size / self.size
    }

    /// Bytes of a workgroup's elements.
    pub(super) fn state_bytes(&self) -> u32 {
        4 * self.wg_size * self.each
    }

    /// Bytes of the workgroup's memory that sums take.
    pub(super) fn sum_bytes(&self) -> u32 {
        if self.subgroups { 0 } else { 8 * self.wg_size }
    }

    /// What the shader must know.
    pub(super) fn define(&self, variant: Variant) -> Variant {
        variant
            .number("TEAM", self.size)
            .number("EACH", self.each)
            .flag("PADDED", self.size * self.each != self.length)
            .flag("SUBGROUPS", self.subgroups)
            .constant("wg_size", self.wg_size)
            .constant("length", self.length)
    }
}

/// The shape of an op on a square state for each head of each sequence. Its result has the tokens' values, then the states.
pub(super) struct Heads {
    /// Elements of a row of the state.
    pub(super) length: u64,
    pub(super) heads: u64,
    /// Tokens of a sequence.
    pub(super) tokens: u64,
    pub(super) sequences: u64,
}

impl Heads {
    /// Workgroups, where a team takes a row of a state.
    pub(super) fn groups(&self, team: &Team) -> u64 {
        grid::groups(self.length, team.rows()) * self.heads * self.sequences
    }
}

/// The shape of an op whose sources have these names, the state last. Everything is contiguous, as ggml demands.
pub(super) fn heads(node: &Node, names: &[&str]) -> Result<Heads> {
    elem::need(&node.dst, Type::F32, "a result")?;
    for (i, name) in names.iter().enumerate() {
        let t = node.source(i)?;
        elem::need(t, Type::F32, name)?;
        if !t.contiguous() {
            crate::unsupported!("{name} with gaps: strides {:?}", t.nb);
        }
    }
    let (values, state) = (node.source(1)?, node.source(names.len().saturating_sub(1))?);
    let ([length, heads, tokens, _], sequences) = (values.ne, state.ne[1]);
    if sequences == 0 || tokens % sequences != 0 {
        crate::unsupported!("{tokens} tokens in {sequences} sequences");
    }
    Ok(Heads { length, heads, tokens: tokens / sequences, sequences })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::testing::caps;

    #[test]
    fn a_team_covers_its_row_and_fits_its_workgroup() -> Result<()> {
        let mut caps = caps();
        for subgroups in [None, Some((1, 1)), Some((4, 4)), Some((8, 32)), Some((128, 128))] {
            caps.subgroups = subgroups;
            for length in [1, 2, 5, 16, 64, 96, 128, 200, 256, 1000, 5000, 65_536] {
                let team = Team::new(length, &caps)?;
                assert!(u64::from(team.size) * u64::from(team.each) >= length, "{length}: {team:?}");
                assert!(u64::from(team.size) * u64::from(team.each - 1) < length, "{length}: {team:?} has idle elements");
                assert!(team.size.is_power_of_two() && team.rows() >= 1 && team.wg_size <= caps.max_invocations, "{length}: {team:?}");
                if let (true, Some((least, _))) = (team.subgroups, subgroups) {
                    assert!(team.size <= least, "{length}: {team:?} spans subgroups");
                }
            }
            assert!(Team::new(1 << 20, &caps).is_err());
        }
        Ok(())
    }
}
