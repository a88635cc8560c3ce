//! The bridge to Dawn: compiles `cpp/` and the C++ half of the cxx bridge.

use super::dawn_prefix::Dawn;
use super::{toolchain, vars};
use anyhow::{Context, Result, anyhow};
use std::fs;

/// The one file that holds the cxx bridge.
const BRIDGE: &str = "src/gpu/bridge.rs";

pub fn compile(dawn: &Dawn) -> Result<()> {
    println!("cargo:rerun-if-changed={BRIDGE}");
    println!("cargo:rerun-if-changed=cpp");
    let package = vars::package_dir()?;
    if !package.join(BRIDGE).is_file() {
        return Ok(());
    }
    let mut sources = Vec::new();
    for entry in fs::read_dir(package.join("cpp")).context("While listing cpp/")? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "cc") {
            sources.push(path);
        }
    }
    sources.sort();
    let mut build = cxx_build::bridge(BRIDGE);
    // The headers of Dawn are plain enough for an older compiler too; one that takes Dawn is only the first choice.
    if let Ok(Some(compiler)) = toolchain::compiler() {
        build.compiler(&compiler.cxx);
    }
    if !dawn.include_is_standard() {
        build.flag("-isystem").flag(&dawn.include);
    }
    build.include(package.join("cpp"));
    build
        .std("c++20")
        .files(sources)
        .flag_if_supported("-fvisibility=hidden");
    build.try_compile("ggml_webgpu_bridge").map_err(|_| {
        let dawn = dawn.describe();
        anyhow!("cpp/ does not compile against {dawn}; the compiler's messages are above")
    })
}
