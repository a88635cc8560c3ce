//! The bridge to Dawn: compiles `cpp/` and the C++ half of the cxx bridge, and keeps both inside the module.

use super::dawn_prefix::Dawn;
use super::{toolchain, vars};
use anyhow::{Context, Result, anyhow};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

/// The one file that holds the cxx bridge.
const BRIDGE: &str = "src/gpu/bridge.rs";

/// Compiles the bridge against the headers of a Dawn.
pub fn compile(dawn: &Dawn) -> Result<()> {
    println!("cargo:rerun-if-changed={BRIDGE}");
    println!("cargo:rerun-if-changed=cpp");
    let cpp = vars::package_dir()?.join("cpp");
    let mut sources = Vec::new();
    for entry in fs::read_dir(&cpp).context("While listing cpp/")? {
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
    if vars::target_os()? == "linux" {
        build.flag("-include").flag(hidden_names()?);
        println!("cargo:rustc-link-arg-cdylib=-Wl,--exclude-libs,ALL");
    }
    build.std("c++20").include(cpp).files(sources);
    build.flag_if_supported("-fvisibility=hidden").flag_if_supported("-Wno-maybe-uninitialized");
    build.try_compile("ggml_webgpu_bridge").map_err(|_| {
        let dawn = dawn.describe();
        anyhow!("cpp/ does not compile against {dawn}; the compiler's messages are above")
    })
}

/// The Rust functions that the C++ half calls are exported by rustc like any function of C. A module must not show them:
/// one reference that calls a symbol hidden makes it hidden for all.
fn hidden_names() -> Result<PathBuf> {
    let out = vars::out_dir()?;
    let half = out.join("cxxbridge/sources/ggml-webgpu").join(BRIDGE).with_extension("rs.cc");
    let text = fs::read_to_string(&half).with_context(|| format!("While reading {}", half.display()))?;
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$');
    let names: BTreeSet<&str> = words.filter(|w| w.starts_with("cxxbridge1$")).collect();
    let mut header = String::new();
    for name in names {
        writeln!(header, r#"asm(".hidden \"{name}\"");"#)?;
    }
    let path = out.join("hidden_names.h");
    fs::write(&path, header).context("While writing hidden_names.h")?;
    Ok(path)
}
