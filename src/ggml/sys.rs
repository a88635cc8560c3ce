//! ggml's own declarations, translated by bindgen from the headers of the ggml that is linked.
#![allow(
    missing_docs,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    unsafe_code,
    dead_code,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    clippy::undocumented_unsafe_blocks,
    reason = "generated"
)]

include!(concat!(env!("OUT_DIR"), "/ggml.rs"));
