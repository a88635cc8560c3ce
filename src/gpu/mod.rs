//! Safe WebGPU for compute, on Dawn. Not a word of ggml here.
//!
//! What this layer promises: no call aborts or unwinds; a failure is an [`Error`](crate::error::Error) with its cause; waits
//! have a time limit; every object may be used and dropped from any thread. What it does not do: check offsets and sizes
//! that its callers compute (Dawn does, when validation is on).

mod bridge;
pub mod buffer;
pub mod caps;
pub mod device;
pub mod encoder;
pub mod pipeline;
pub mod queue;
pub mod timing;

pub use buffer::Buffer;
pub use caps::Caps;
pub use device::{Adapter, Device};
