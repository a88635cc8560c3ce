//! Builds Dawn with CMake and installs it into the user's cache.

use super::{toolchain, vars};
use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::fs;
use std::panic;
use std::path::Path;
use std::process::Command;

/// The project around Dawn's: options, unity builds. Its text is part of the key.
const PROJECT: &[&str] = &[include_str!("dawn/CMakeLists.txt"), include_str!("dawn/unity.cmake")];

/// What is given on the command line. -O3 makes Dawn larger and its build longer, and nothing that was measured faster.
const DEFINES: &[(&str, &str)] = &[("CMAKE_CXX_FLAGS_RELEASE", "-O2 -DNDEBUG"), ("CMAKE_INSTALL_LIBDIR", "lib")];
/// What the module does not call is dropped when it is linked.
const FLAGS: &[&str] = &["-ffunction-sections", "-fdata-sections"];

/// A name for what is built: revision, and a hash of the options and of the target.
pub fn key(revision: &str) -> Result<String> {
    let mut hash = Sha256::new();
    for part in PROJECT.iter().chain(FLAGS).chain(DEFINES.iter().flat_map(|(k, v)| [k, v])) {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    hash.update(vars::target()?.as_bytes());
    let hash: String = hash.finalize().iter().take(6).map(|b| format!("{b:02x}")).collect();
    Ok(format!("{revision:.12}-{hash}"))
}

/// Names what is missing, before anything long is begun.
pub fn check_tools() -> Result<()> {
    toolchain::need("cmake", "cmake")?;
    toolchain::need("ninja", "ninja-build")?;
    toolchain::need("python3", "python3")?;
    toolchain::compiler().map(|_| ())
}

/// Builds `tree` and installs it into `prefix`. What an earlier, interrupted build left there is used.
pub fn build(tree: &Path, prefix: &Path) -> Result<()> {
    let compiler = toolchain::compiler()?;
    let build = prefix.join("build");
    restart_if_changed(&build, tree)?;
    let mut config = cmake::Config::new(vars::package_dir()?.join("third_party/dawn"));
    config.profile("Release").generator("Ninja").no_default_flags(true).out_dir(prefix).build_target("installed");
    config.define("DAWN_TREE", tree);
    for (name, value) in DEFINES {
        config.define(name, value);
    }
    if let Some(compiler) = &compiler {
        config.define("CMAKE_C_COMPILER", &compiler.c).define("CMAKE_CXX_COMPILER", &compiler.cxx);
        // Messages name sources by their place in Dawn's tree, not by their place on this machine.
        let flags = format!("{} -ffile-prefix-map={}=dawn -ffile-prefix-map={}=build", FLAGS.join(" "), tree.display(), build.display());
        config.define("CMAKE_C_FLAGS", &flags).define("CMAKE_CXX_FLAGS", &flags);
    }
    // The crate panics where CMake fails.
    if panic::catch_unwind(move || config.build()).is_err() {
        bail!("Dawn cannot be built with {}. {}", toolchain::name(compiler.as_ref()), what_failed(&build));
    }
    fs::remove_dir_all(&build).context("While removing what the build of Dawn left")
}

/// Objects of another compiler or tree cannot be used.
fn restart_if_changed(build: &Path, tree: &Path) -> Result<()> {
    let note = build.join("made-with");
    let now = format!("{}\n{}\n", toolchain::name(toolchain::compiler()?.as_ref()), tree.display());
    if build.exists() && fs::read_to_string(&note).ok().as_ref() != Some(&now) {
        fs::remove_dir_all(build)?;
    }
    fs::create_dir_all(build)?;
    fs::write(note, now).context("While noting the compiler")
}

/// Runs the step that failed again, to catch what it says.
fn what_failed(build: &Path) -> String {
    let mut again = Command::new("cmake");
    if build.join("build.ninja").exists() {
        again.arg("--build").arg(build).args(["--target", "installed"]);
    } else {
        again.arg(build);
    }
    let Ok(out) = again.output() else {
        return "cmake cannot be run".to_owned();
    };
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    let lines: Vec<&str> = text.lines().skip_while(|l| !l.contains("error:") && !l.starts_with("CMake Error")).take(4).collect();
    if lines.is_empty() { "The build log says why: `cargo build -vv`".to_owned() } else { lines.join("\n") }
}
