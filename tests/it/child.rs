//! Tests that need a process of their own: for settings that are read once, counters of the process, devices that are lost, exits.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use libtest_mimic::{Failed, Trial};

/// Set in the child.
const CHILD: &str = "GGML_WEBGPU_TEST_CHILD";
/// A file into which a child writes what its parent compares.
const RESULT: &str = "GGML_WEBGPU_TEST_RESULT";

/// A trial whose body runs in a child process with more environment variables.
pub fn trial(name: &'static str, env: &'static [(&'static str, &'static str)], test: fn() -> Result<()>) -> Trial {
    Trial::test(name, move || {
        let done = if is_child() { test() } else { run(name, env).map(|_| ()) };
        done.map_err(|e| Failed::from(format!("{e:#}")))
    })
}

/// A trial that runs its body once for each set of variables and compares the floats that the bodies give.
pub fn trial_compare(
    name: &'static str,
    envs: &'static [&'static [(&'static str, &'static str)]],
    most: f64,
    test: fn() -> Result<Vec<f32>>,
) -> Trial {
    Trial::test(name, move || {
        let done = || -> Result<()> {
            if is_child() {
                let path = std::env::var(RESULT).context("no place for the result")?;
                let bytes: Vec<u8> = test()?.iter().flat_map(|f| f.to_le_bytes()).collect();
                return std::fs::write(path, bytes).context("While writing the result");
            }
            let first = run(name, envs[0])?;
            for env in &envs[1..] {
                let error = crate::support::nmse(&run(name, env)?, &first)?;
                anyhow::ensure!(
                    error <= most,
                    "{env:?}: normalised mean square error {error:.3e} against the first run (the limit is {most:.0e})"
                );
            }
            Ok(())
        };
        done().map_err(|e| Failed::from(format!("{e:#}")))
    })
}

/// Whether this process is such a child.
pub fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Runs this program again for one test; gives the floats that it wrote.
fn run(name: &str, env: &[(&str, &str)]) -> Result<Vec<f32>> {
    let result: PathBuf = std::env::temp_dir().join(format!("ggml-webgpu-test-{}-{}", std::process::id(), fastrand::u64(..)));
    let output = Command::new(std::env::current_exe()?)
        .args(["--exact", name, "--test-threads", "1"])
        .envs(env.iter().copied())
        .env(CHILD, "1")
        .env(RESULT, &result)
        .output()
        .context("While starting the child")?;
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let bytes = std::fs::read(&result).unwrap_or_default();
    // A child that wrote nothing has left nothing.
    let _ = std::fs::remove_file(&result);
    if !output.status.success() || !text.contains("1 passed") {
        bail!("the child ended with {}:\n{text}", output.status);
    }
    Ok(bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}
