//! ggml's vtables, one file each: the only `extern "C"` functions. Thin: each checks its pointers, calls `exec` or `ops`, and
//! turns an error or a panic into what ggml expects. Nothing unwinds into C, nothing aborts.

pub mod abi;
mod buffer;
mod buffer_type;
pub mod census;
mod device;
mod event;
pub mod guard;
pub mod reg;
mod stream;
