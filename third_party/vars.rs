//! Every environment variable that the build reads: the only place that reads them. Run-time variables are in `src/env.rs`.

use anyhow::{Context, Result, bail};
use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// `DAWN_DIR`: an installed Dawn. Its prefix, or the folder of its CMake package.
pub fn dawn_dir() -> Option<PathBuf> {
    user("DAWN_DIR").map(PathBuf::from)
}

/// `DAWN_SOURCE_DIR`: Dawn's sources with their dependencies, as Dawn's own checkout has them.
pub fn dawn_source_dir() -> Option<PathBuf> {
    user("DAWN_SOURCE_DIR").map(PathBuf::from)
}

/// `GGML_WEBGPU_CACHE`: what is built once and shared. By default `ggml-webgpu` in the user's cache folder.
pub fn cache_dir() -> Result<PathBuf> {
    // The same rule as in src/env.rs, which looks for the default model there.
    let given = user("GGML_WEBGPU_CACHE").map(PathBuf::from);
    let dir = given
        .or_else(|| user("XDG_CACHE_HOME").map(|c| PathBuf::from(c).join("ggml-webgpu")))
        .or_else(|| user("HOME").map(|h| PathBuf::from(h).join(".cache/ggml-webgpu")))
        .or_else(|| user("LOCALAPPDATA").map(|l| PathBuf::from(l).join("ggml-webgpu")))
        .context("there is no home folder; set GGML_WEBGPU_CACHE to a folder that can be written")?;
    if !dir.is_absolute() {
        bail!("the cache must be an absolute path ({}); GGML_WEBGPU_CACHE names another", dir.display());
    }
    Ok(dir)
}

/// `GGML_WEBGPU_NO_DAWN`: do not look for Dawn and do not build it. What needs no linking works (check, clippy, doc).
pub fn no_dawn() -> bool {
    user("GGML_WEBGPU_NO_DAWN").is_some_and(|v| v != "0")
}

/// `DOCS_RS`: set by docs.rs, where there is no network and nothing is linked.
pub fn docs_rs() -> bool {
    user("DOCS_RS").is_some()
}

/// `CC` and `CXX`: the compiler for Dawn and for the bridge. By default the fastest one that is known to work.
pub fn compiler() -> Option<(OsString, OsString)> {
    let cxx = user("CXX")?;
    let c = user("CC").unwrap_or_else(|| "cc".into());
    Some((c, cxx))
}

/// `OUT_DIR`, from cargo: the folder for what this build makes.
pub fn out_dir() -> Result<PathBuf> {
    cargo("OUT_DIR").map(PathBuf::from)
}

/// `CARGO_MANIFEST_DIR`, from cargo: the package.
pub fn package_dir() -> Result<PathBuf> {
    cargo("CARGO_MANIFEST_DIR").map(PathBuf::from)
}

/// `DEP_LLAMA_ROOT`, from the crate `llama-cpp-sys-2`: where it built and installed the ggml that is linked.
pub fn llama_root() -> Result<PathBuf> {
    cargo("DEP_LLAMA_ROOT").map(PathBuf::from)
}

/// `TARGET`, from cargo.
pub fn target() -> Result<String> {
    cargo("TARGET")
}

/// `CARGO_CFG_TARGET_OS`, from cargo for build scripts. In a test: the system it runs on.
pub fn target_os() -> Result<String> {
    Ok(cargo("CARGO_CFG_TARGET_OS").unwrap_or_else(|_| env::consts::OS.to_owned()))
}

/// A variable that a user may set. Cargo runs the build again when it changes.
fn user(name: &str) -> Option<OsString> {
    println!("cargo:rerun-if-env-changed={name}");
    env::var_os(name).filter(|v| !v.is_empty())
}

fn cargo(name: &str) -> Result<String> {
    env::var(name).with_context(|| format!("cargo did not set {name}; build this package with cargo"))
}
