//! A case: a small graph with inputs and a tolerance, on which a room is tested against ggml's CPU backend and measured.

use crate::ggml::make::{Make, T};

/// One graph.
pub struct Case {
    /// What it stands for: op, types, shapes.
    pub name: String,
    /// Most normalised mean square error against the CPU; test-backend-ops' own bounds.
    pub tolerance: f64,
    /// Builds the graph and gives its result.
    pub build: Box<dyn Fn(&Make) -> T + Send + Sync>,
}

/// test-backend-ops' bound for most ops.
pub const NMSE: f64 = 1e-7;
/// Bound for element by element ops in f16, where the CPU rounds at other places.
pub const NMSE_F16: f64 = 1e-6;
/// Its bound for matrix products and attention.
pub const NMSE_MUL_MAT: f64 = 5e-4;

impl Case {
    /// A case with the usual tolerance.
    pub fn new(name: impl Into<String>, build: impl Fn(&Make) -> T + Send + Sync + 'static) -> Self {
        Self { name: name.into(), tolerance: NMSE, build: Box::new(build) }
    }

    /// Another tolerance.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}
