//! From a graph to submitted work: the only caller of a room's plan and of the encoder.

pub mod fusion;
pub mod memory;
pub mod order;
pub mod plan;
pub mod profile;
pub mod scratch;
pub mod shared;
pub mod stats;
pub mod stream;
pub mod transfer;

pub use memory::Region;
pub use shared::Shared;
pub use stream::Stream;
