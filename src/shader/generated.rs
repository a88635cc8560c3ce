//! What `embed.rs` wrote at build time: every shader's text, and one Rust struct for each shader's `Params`.
#![allow(clippy::vec_init_then_push, reason = "generated")]

use std::borrow::Cow;

use crate::env;

include!(concat!(env!("OUT_DIR"), "/shaders.rs"));

/// The text of a shader or import, by its path below `shaders/` without the ending.
pub fn source(name: &str) -> Option<Cow<'static, str>> {
    let built_in = SHADERS.binary_search_by_key(&name, |s| s.0).ok().map(|i| SHADERS[i].1);
    match &env::settings().shaders {
        Some(folder) => std::fs::read_to_string(folder.join(name).with_extension("wgsl")).ok().map(Cow::Owned),
        None => built_in.map(Cow::Borrowed),
    }
}

/// Words of a shader's `Params`; 0 if it has none.
pub fn param_words(name: &str) -> usize {
    SHADERS.binary_search_by_key(&name, |s| s.0).map_or(0, |i| SHADERS[i].2)
}

/// All names, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    SHADERS.iter().map(|s| s.0)
}
