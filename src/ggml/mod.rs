//! Safe views of ggml's structs. Not a word of the GPU here.

pub mod graph;
pub mod grids;
pub mod log;
pub mod make;
pub mod names;
pub mod op_params;
pub mod sys;
pub mod tensor;
pub mod types;

pub use op_params::OpParams;
pub use tensor::{Node, Tensor};
pub use types::Type;
