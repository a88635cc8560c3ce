//! The build, as a story: find ggml and translate its headers, find Dawn or build it, compile the bridge between them.
//! The details are in `third_party/`.

#[path = "third_party/mod.rs"]
mod third_party;

#[path = "src/shader/embed.rs"]
mod embed;

use anyhow::Result;
use third_party::{bridge, dawn, ggml, ggml_names};

fn story() -> Result<()> {
    // ggml comes with a crate; its own headers say what a backend looks like.
    let ggml = ggml::find()?;
    ggml.bind()?;
    ggml_names::write()?;
    ggml.set_rpath()?;
    ggml.tell_tests();

    // Shaders, and the Rust form of their parameters.
    embed::write()?;

    // Dawn, and what stands between it and Rust.
    if let Some(dawn) = dawn::find_or_build()? {
        bridge::compile(&dawn)?;
        dawn.link()?;
    }
    Ok(())
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if let Err(error) = story() {
        // Cargo prints it as an error of this package.
        format!("{error:#}").lines().for_each(|line| println!("cargo::error={line}"));
    }
}
