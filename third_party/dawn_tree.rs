//! Dawn's sources as its own checkout has them, reduced to what the build reads: from git, else from Debian's Chromium.

use super::{fetch, pins, toolchain};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is kept of Dawn's own repository.
const OF_DAWN: &[&str] = &[
    "CMakeLists.txt",
    "DEPS",
    "LICENSE",
    "generator",
    "include",
    "src",
    "third_party/CMakeLists.txt",
    "third_party/CopyWindowsSDKDLL.cmake",
    "third_party/renderdoc",
];

/// What is left out of that.
const NOT_OF_DAWN: &[&str] = &["src/dawn/tests", "src/dawn/node", "src/dawn/samples"];

/// Where Chromium has it: the folder `third_party` there, by the folder in Dawn's tree.
const DAWN_IN_CHROMIUM: &str = "third_party/dawn";

/// The commit of a tree, if the tree knows.
pub fn commit(tree: &Path) -> Option<String> {
    tree.join(".git").exists().then_some(())?;
    let out = Command::new("git").arg("-C").arg(tree).args(["rev-parse", "HEAD"]).stderr(Stdio::null()).output().ok()?;
    out.status.success().then(|| String::from_utf8_lossy(&out.stdout).trim().to_owned())
}

/// Fails if a folder is not Dawn with its dependencies.
pub fn check(tree: &Path) -> Result<()> {
    let dependencies = pins::all()?.into_iter().map(|p| p.name).filter(|n| n.starts_with("third_party/"));
    for needed in ["src/dawn/native/CMakeLists.txt", "generator/CMakeLists.txt"].into_iter().chain(dependencies) {
        if !tree.join(needed).exists() {
            bail!("{} is not Dawn with its dependencies: it has no {needed}", tree.display());
        }
    }
    Ok(())
}

/// Fetches the pinned tree into an empty or half-filled folder.
pub fn fetch(dir: &Path) -> Result<()> {
    let dawn = pins::one("dawn")?;
    let by_git = match fetch::reach_git(dawn.address) {
        Ok(()) => {
            println!("Dawn: fetching by git");
            return by_git(dir);
        }
        Err(error) => format!("{error:#}"),
    };
    if fetch::apt_helper().is_none() {
        bail!(
            "Dawn cannot be fetched: {by_git}, and there is no apt. Name an installed Dawn by DAWN_DIR, or its sources by DAWN_SOURCE_DIR"
        );
    }
    println!("Dawn: {by_git}");
    println!("Dawn: taking the same revision from Debian's source of Chromium");
    by_apt(dir).with_context(|| format!("While fetching Dawn by apt, since {by_git}"))
}

/// The first road: Dawn's repository, and those of its dependencies.
pub fn by_git(dir: &Path) -> Result<()> {
    let dawn = pins::one("dawn")?;
    let kept: Vec<String> = OF_DAWN.iter().map(|f| format!("/{f}")).chain(NOT_OF_DAWN.iter().map(|f| format!("!/{f}"))).collect();
    fetch::git_commit(dawn.address, dawn.checksum, &kept.iter().map(String::as_str).collect::<Vec<_>>(), dir)?;
    let deps = fs::read_to_string(dir.join("DEPS")).context("While reading Dawn's DEPS")?;
    for pin in pins::all()?.iter().filter(|p| p.kind == "git" && p.name != dawn.name) {
        if !deps.contains(&format!("@{}'", pin.checksum)) {
            bail!("third_party/pins.tsv has {} at {}, but Dawn's DEPS does not name that commit", pin.name, pin.checksum);
        }
        let folder = dir.join(pin.name);
        fetch::git_commit(pin.address, pin.checksum, &[], &folder)?;
        fs::remove_dir_all(folder.join(".git"))?;
    }
    name_commit(dir, dawn.checksum)
}

/// The second road: Debian's source package of the Chromium that has this Dawn. Chromium brings the dependencies.
pub fn by_apt(dir: &Path) -> Result<()> {
    let (dawn, chromium) = (pins::one("dawn")?, pins::one("chromium")?);
    toolchain::need("tar", "tar")?;
    toolchain::need("xz", "xz-utils")?;
    let tarball = dir.with_extension("orig.tar.xz");
    if !tarball.exists() {
        fetch::file(&pins::addresses(chromium.name)?, chromium.checksum, &tarball)?;
    }
    println!("Dawn: unpacking");
    let top = format!("chromium-{}", chromium.version);
    let unpacked = dir.join(&top);
    let mut members = vec!["DEPS".to_owned()];
    members.extend(OF_DAWN.iter().map(|f| format!("{DAWN_IN_CHROMIUM}/{f}")));
    members.extend(dependencies()?.iter().map(|d| (*d).to_owned()));
    let mut tar = Command::new("tar");
    tar.arg("--extract").arg("--file").arg(&tarball).arg("--directory").arg(dir);
    tar.arg("--use-compress-program=xz --threads=0").arg("--exclude=*_test.cc");
    tar.args(NOT_OF_DAWN.iter().map(|f| format!("--exclude={top}/{DAWN_IN_CHROMIUM}/{f}")));
    tar.args(members.iter().map(|m| format!("{top}/{m}")));
    let out = tar.output().context("While running tar")?;
    if !out.status.success() {
        bail!("tar cannot unpack {}: {}", tarball.display(), String::from_utf8_lossy(&out.stderr).trim());
    }
    let deps = fs::read_to_string(unpacked.join("DEPS")).context("While reading Chromium's DEPS")?;
    if !deps.contains(dawn.checksum) {
        bail!("Chromium {} has another Dawn than the pinned commit {}", chromium.version, dawn.checksum);
    }
    take_from_chromium(&unpacked, dir)?;
    fs::remove_dir_all(&unpacked)?;
    fs::remove_file(&tarball)?;
    name_commit(dir, dawn.checksum)
}

/// Moves what was unpacked to its place in Dawn's tree.
fn take_from_chromium(unpacked: &Path, dir: &Path) -> Result<()> {
    let moves = OF_DAWN.iter().map(|f| (PathBuf::from(DAWN_IN_CHROMIUM).join(f), *f));
    for (from, to) in moves.chain(dependencies()?.into_iter().map(|d| (PathBuf::from(d), d))) {
        let to = dir.join(to);
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent)?;
        }
        if to.is_dir() {
            fs::remove_dir_all(&to)?;
        }
        let from = unpacked.join(from);
        fs::rename(&from, &to).with_context(|| format!("While moving {} to {}", from.display(), to.display()))?;
    }
    Ok(())
}

fn dependencies() -> Result<Vec<&'static str>> {
    Ok(pins::all()?.iter().map(|p| p.name).filter(|n| n.starts_with("third_party/")).collect())
}

/// Dawn asks git for its revision, which becomes the key of what it caches. History is not needed for the answer.
fn name_commit(dir: &Path, commit: &str) -> Result<()> {
    let git = dir.join(".git");
    if git.exists() {
        fs::remove_dir_all(&git)?;
    }
    fs::create_dir_all(git.join("objects"))?;
    fs::create_dir_all(git.join("refs"))?;
    fs::write(git.join("HEAD"), format!("{commit}\n")).context("While noting the revision of Dawn")
}
