//! The compilers and programs that the build runs: which one is taken, and how to get one that is missing.

use super::vars;
use anyhow::{Result, bail};
use std::ffi::{OsStr, OsString};
use std::process::{Command, Stdio};

/// A C and a C++ compiler of one family.
pub struct Compiler {
    pub c: OsString,
    pub cxx: OsString,
}

/// The first that is there wins. Clang 19 takes a third less time than gcc 13 for Dawn; gcc 12 and clang 14 reject it.
const COMPILERS: &[(&str, &str, u32)] = &[
    ("clang-22", "clang++-22", 19),
    ("clang-21", "clang++-21", 19),
    ("clang-20", "clang++-20", 19),
    ("clang-19", "clang++-19", 19),
    ("clang", "clang++", 19),
    ("gcc-16", "g++-16", 13),
    ("gcc-15", "g++-15", 13),
    ("gcc-14", "g++-14", 13),
    ("gcc-13", "g++-13", 13),
    ("gcc", "g++", 13),
];

/// A compiler that takes Dawn: the user's choice, else one of `COMPILERS`. `None` where the platform's own is the one to
/// take (macOS, Windows).
pub fn compiler() -> Result<Option<Compiler>> {
    if let Some((c, cxx)) = vars::compiler() {
        return Ok(Some(Compiler { c, cxx }));
    }
    if vars::target_os()? != "linux" {
        return Ok(None);
    }
    for (c, cxx, least) in COMPILERS {
        if major_version(cxx).is_some_and(|v| v >= *least) {
            return Ok(Some(Compiler { c: c.into(), cxx: cxx.into() }));
        }
    }
    bail!(
        "no C++ compiler takes Dawn: it needs clang 19 or gcc 13, or newer. {}. \
         Another one is named by the variables CC and CXX",
        install("clang-19")
    )
}

/// A name for messages.
pub fn name(compiler: Option<&Compiler>) -> String {
    compiler.map_or_else(|| "the system's compiler".to_owned(), |c| c.cxx.to_string_lossy().into_owned())
}

/// Fails if a program cannot be run, and says what to install.
pub fn need(program: &str, package: &str) -> Result<()> {
    if runs(program) {
        return Ok(());
    }
    bail!("the program {program} is missing. {}", install(package))
}

/// Whether a program is there.
pub fn runs(program: impl AsRef<OsStr>) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|s| s.success())
}

fn install(package: &str) -> String {
    if runs("apt-get") {
        format!("Install it with `sudo apt-get install {package}`, or run third_party/bootstrap, which installs all that is needed")
    } else {
        format!("Install it with the system's package manager (Debian calls it {package})")
    }
}

fn major_version(cxx: &str) -> Option<u32> {
    let out = Command::new(cxx).arg("-dumpversion").stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(out.stdout).ok()?;
    text.trim().split('.').next()?.parse().ok()
}
