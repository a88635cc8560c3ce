//! Whether what cargo was asked for ends with linking. Cargo does not tell a build script; its command line does.

use std::process::Command;

/// The subcommands that link nothing, with the short forms that cargo knows. clippy is a `check` for cargo.
const NO_LINKING: &[&str] = &["check", "c", "clippy", "doc", "d", "fix", "rustdoc"];

/// True only if cargo is known to check or to document. Anything else may link.
pub fn links_nothing() -> bool {
    parent_command_line().is_some_and(|words| is_check(&words))
}

/// Cargo's words: the program, perhaps `+toolchain` and options, and the subcommand.
pub fn is_check(words: &[String]) -> bool {
    let mut rest = words.iter().skip(1).filter(|w| !w.starts_with('-') && !w.starts_with('+'));
    rest.next().is_some_and(|w| NO_LINKING.contains(&w.as_str()))
}

#[cfg(unix)]
fn parent_command_line() -> Option<Vec<String>> {
    let parent = std::os::unix::process::parent_id();
    if let Ok(line) = std::fs::read(format!("/proc/{parent}/cmdline")) {
        return Some(line.split(|b| *b == 0).map(|w| String::from_utf8_lossy(w).into_owned()).collect());
    }
    let out = Command::new("ps").args(["-o", "args=", "-p", &parent.to_string()]).output().ok()?;
    Some(String::from_utf8_lossy(&out.stdout).split_whitespace().map(str::to_owned).collect())
}

#[cfg(not(unix))]
fn parent_command_line() -> Option<Vec<String>> {
    None
}
