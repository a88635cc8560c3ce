//! Typed readers of a node's `op_params`: 16 words whose meaning each op decides.

/// A copy of a node's parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpParams(pub [i32; 16]);

impl OpParams {
    /// Word `i` as an integer; 0 beyond the end.
    pub fn i32(&self, i: usize) -> i32 {
        self.0.get(i).copied().unwrap_or(0)
    }

    /// Word `i` as an unsigned integer.
    pub fn u32(&self, i: usize) -> u32 {
        self.i32(i) as u32
    }

    /// Word `i` as a float.
    pub fn f32(&self, i: usize) -> f32 {
        f32::from_bits(self.u32(i))
    }

    /// Words `i` and `i + 1` as a size.
    pub fn u64(&self, i: usize) -> u64 {
        u64::from(self.u32(i)) | u64::from(self.u32(i + 1)) << 32
    }
}
