//! The parts of the build that the tests compile again, as ordinary code; and what only they use.
#![allow(dead_code, reason = "a test does not use all that the build uses")]

pub mod cache;
pub mod fetch;
pub mod intent;
pub mod pins;
pub mod test_backend_ops;
pub mod toolchain;
pub mod vars;
