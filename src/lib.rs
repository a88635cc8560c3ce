//! **ggml-webgpu**: ggml's WebGPU backend, on native Dawn.
//!
//! A program that uses `llama-cpp-2` calls [`register`] before it loads a model. A C or C++ program loads the module that this
//! crate also builds (`libggml_webgpu.so`) through `GGML_BACKEND_PATH`. The program `ggml-webgpu` lists devices and runs models.
//!
//! # The map
//!
//! | layer | what it is | may use |
//! |---|---|---|
//! | [`gpu`] | safe WebGPU for compute; no ggml word | `cpp/` |
//! | [`ggml`] | safe views of ggml's structs; no GPU word | bindgen |
//! | [`shader`] | from name and options to pipeline | `gpu` |
//! | [`ops`] | one room for each op: pure data | `ggml`, `gpu::caps`, `shader` |
//! | [`exec`] | from graph to submitted work | `ops`, `gpu`, `ggml` |
//! | `backend` | ggml's vtables | `exec`, `ops`, `gpu`, `ggml` |
//!
//! To add an op: `src/ops/x.rs`, `shaders/x.wgsl`, one line in the table of [`ops`]. A quantised type: `shaders/common/types/x.wgsl`,
//! one line in [`ggml::types`]. A fusion: one line in the table of [`exec::fusion`].
//!
//! Absent on purpose: no host buffers (WebGPU has no pinned memory that a kernel can use), no graph plans of ggml's interface
//! (plans are found by comparing graphs), no tensor extras.

pub mod env;
pub mod error;
#[doc(hidden)]
pub mod exec;
#[doc(hidden)]
pub mod ggml;
#[doc(hidden)]
pub mod gpu;
#[doc(hidden)]
pub mod ops;
#[doc(hidden)]
pub mod shader;

mod backend;

// Links the ggml that the crate brings.
use llama_cpp_sys_2 as _;

pub use backend::census;
#[doc(hidden)]
pub use backend::reg::lose_first_device;
pub use backend::reg::{ggml_backend_init, ggml_backend_score, ggml_backend_webgpu_init, ggml_backend_webgpu_reg, register};
pub use error::Error;
