//! What is not ours, and how it gets here. `build.rs` tells the story; the details are in these files.

pub mod bridge;
pub mod cache;
pub mod dawn;
pub mod dawn_cmake;
pub mod dawn_prefix;
pub mod dawn_tree;
pub mod fetch;
pub mod ggml;
pub mod ggml_names;
pub mod intent;
pub mod pins;
pub mod toolchain;
pub mod vars;
