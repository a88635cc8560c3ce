//! ggml's own test program, which judges a backend op by op: fetched, compiled against the linked ggml, and kept. For tests.

use super::{cache, fetch, pins, toolchain, vars};
use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The package that carries its source; ggml's own does not.
const CARRIER: &str = "llama-cpp-python";
const SOURCE: &str = "vendor/llama.cpp/tests/test-backend-ops.cpp";
const FLAGS: &[&str] = &["-std=c++17", "-O1", "-pthread"];

/// The program, for the ggml whose sources (a folder with `include`) and libraries are given. Making it takes a minute.
pub fn program(ggml: &Path, libraries: &Path) -> Result<PathBuf> {
    let pin = pins::one(CARRIER)?;
    let cache = vars::cache_dir()?.join("test-backend-ops");
    let mut hash = Sha256::new();
    for part in [pin.checksum, &FLAGS.join(" "), &ggml.to_string_lossy(), &libraries.to_string_lossy()] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    let key: String = hash.finalize().iter().take(6).map(|b| format!("{b:02x}")).collect();
    let dir = cache.join(format!("{}-{key}", pin.version));
    let source = cache.join(format!("source-{}", pin.version));
    cache::make_once(&dir, |part| {
        cache::make_once(&source, unpack)?;
        compile(&source, ggml, libraries, &part.join("test-backend-ops"))
    })?;
    Ok(dir.join("test-backend-ops"))
}

/// Fetches the package and takes the program's only source, and the licence, out of it.
fn unpack(dir: &Path) -> Result<()> {
    let pin = pins::one(CARRIER)?;
    let package = dir.join("package.tar.gz");
    fetch::pypi(pin.address, pin.checksum, &package)?;
    let top = format!("llama_cpp_python-{}", pin.version);
    let mut tar = Command::new("tar");
    tar.arg("--extract").arg("--gzip").arg("--file").arg(&package).arg("--directory").arg(dir).arg("--strip-components=1");
    tar.args([SOURCE, "vendor/llama.cpp/LICENSE"].map(|f| format!("{top}/{f}")));
    let out = tar.output().context("While running tar")?;
    if !out.status.success() {
        bail!("tar cannot unpack {}: {}", package.display(), String::from_utf8_lossy(&out.stderr).trim());
    }
    fs::remove_file(&package).context("While removing the package")
}

fn compile(source: &Path, ggml: &Path, libraries: &Path, program: &Path) -> Result<()> {
    let cxx = match toolchain::compiler() {
        Ok(Some(compiler)) => compiler.cxx,
        _ => "c++".into(),
    };
    let mut command = Command::new(&cxx);
    command.args(FLAGS).arg("-I").arg(ggml.join("include")).arg(source.join(SOURCE)).arg("-o").arg(program);
    command.arg("-L").arg(libraries).arg(format!("-Wl,-rpath,{}", libraries.display())).args(["-lggml", "-lggml-cpu", "-lggml-base"]);
    let out = command.output().with_context(|| format!("While running {}", cxx.to_string_lossy()))?;
    if !out.status.success() {
        let text = String::from_utf8_lossy(&out.stderr);
        bail!("{SOURCE} does not compile: {}", text.lines().find(|l| l.contains("error:")).unwrap_or(text.trim()));
    }
    Ok(())
}
