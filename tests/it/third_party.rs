//! How things come from outside: only what is pinned is taken, only what is finished is used, and builds wait for each other.

use anyhow::{Context, Result, ensure};
use libtest_mimic::Trial;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use parts::{cache, fetch, intent, pins};

#[path = "../../third_party/tested.rs"]
pub mod parts;

/// A test with a folder of its own.
type Test = fn(&Path) -> Result<()>;

pub fn trials() -> Vec<Trial> {
    let tests: [(&str, Test); 9] = [
        ("git_gives_the_pinned_commit", git_gives_the_pinned_commit),
        ("git_without_the_commit_fails", git_without_the_commit_fails),
        ("git_out_of_reach_fails_soon", git_out_of_reach_fails_soon),
        ("a_file_with_the_pinned_checksum_is_taken", a_file_with_the_pinned_checksum_is_taken),
        ("a_file_with_another_checksum_is_refused", a_file_with_another_checksum_is_refused),
        ("an_interrupted_build_is_not_taken_for_finished", an_interrupted_build_is_not_taken_for_finished),
        ("builds_at_the_same_time_build_once", builds_at_the_same_time_build_once),
        ("pins_are_complete", pins_are_complete),
        ("a_check_is_known_by_its_words", a_check_is_known_by_its_words),
    ];
    let trial = |(name, test): (&'static str, Test)| {
        Trial::test(format!("third_party::{name}"), move || {
            let dir = std::env::temp_dir().join(format!("ggml-webgpu-{name}-{}", std::process::id()));
            let result = fs::create_dir_all(&dir).map_err(Into::into).and_then(|()| test(&dir));
            let _ = fs::remove_dir_all(&dir);
            result.map_err(|e| format!("{e:#}").into())
        })
    };
    tests.into_iter().map(trial).collect()
}

/// A repository with two commits. Returns its address and the older one: what is pinned is rarely the newest.
fn repository(dir: &Path) -> Result<(String, String)> {
    let repo = dir.join("repository");
    fs::create_dir_all(repo.join("wanted"))?;
    fs::create_dir_all(repo.join("unwanted"))?;
    let git = |args: &[&str]| -> Result<String> {
        let out = Command::new("git").arg("-C").arg(&repo).args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args).output()?;
        ensure!(out.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&out.stderr));
        Ok(String::from_utf8_lossy(&out.stdout).trim().to_owned())
    };
    git(&["init", "--quiet"])?;
    git(&["config", "uploadpack.allowFilter", "true"])?;
    fs::write(repo.join("wanted/file"), "old")?;
    fs::write(repo.join("unwanted/file"), "old")?;
    git(&["add", "."])?;
    git(&["commit", "--quiet", "-m", "old"])?;
    let pinned = git(&["rev-parse", "HEAD"])?;
    fs::write(repo.join("wanted/file"), "new")?;
    git(&["commit", "--quiet", "-a", "-m", "new"])?;
    Ok((format!("file://{}", repo.display()), pinned))
}

fn git_gives_the_pinned_commit(dir: &Path) -> Result<()> {
    let (address, pinned) = repository(dir)?;
    fetch::reach_git(&address)?;
    let all = dir.join("all");
    fetch::git_commit(&address, &pinned, &[], &all)?;
    ensure!(fs::read_to_string(all.join("wanted/file"))? == "old");
    ensure!(all.join("unwanted/file").exists());
    let part = dir.join("part");
    fetch::git_commit(&address, &pinned, &["/wanted"], &part)?;
    ensure!(fs::read_to_string(part.join("wanted/file"))? == "old");
    ensure!(!part.join("unwanted").exists());
    // Again, as after an interruption: what was changed meanwhile is put right.
    fs::write(part.join("wanted/file"), "half")?;
    fetch::git_commit(&address, &pinned, &["/wanted"], &part)?;
    ensure!(fs::read_to_string(part.join("wanted/file"))? == "old");
    Ok(())
}

fn git_without_the_commit_fails(dir: &Path) -> Result<()> {
    let (address, _) = repository(dir)?;
    let error = fetch::git_commit(&address, &"1".repeat(40), &[], &dir.join("out")).err().context("a commit that is not there came")?;
    ensure!(format!("{error:#}").contains("git fetch"), "{error:#}");
    Ok(())
}

fn git_out_of_reach_fails_soon(dir: &Path) -> Result<()> {
    let address = format!("file://{}", dir.join("nothing").display());
    let error = fetch::reach_git(&address).err().context("a repository that is not there was reached")?;
    ensure!(format!("{error:#}").contains(&address), "{error:#}");
    Ok(())
}

/// The SHA-256 of "hello".
const HELLO: &str = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

fn hello(dir: &Path) -> Result<(String, PathBuf)> {
    let file = dir.join("hello");
    fs::write(&file, "hello")?;
    Ok((format!("file://{}", file.display()), dir.join("fetched")))
}

fn a_file_with_the_pinned_checksum_is_taken(dir: &Path) -> Result<()> {
    let (address, to) = hello(dir)?;
    // The first address gives nothing: the second is asked.
    fetch::file(&[&format!("{address}-not"), &address], HELLO, &to)?;
    ensure!(fs::read_to_string(&to)? == "hello");
    fetch::verify(&to, HELLO)
}

fn a_file_with_another_checksum_is_refused(dir: &Path) -> Result<()> {
    let (address, to) = hello(dir)?;
    let pinned = "0".repeat(64);
    let error = fetch::file(&[&address], &pinned, &to).err().context("a wrong file was taken")?;
    ensure!(format!("{error:#}").contains(&pinned), "{error:#}");
    ensure!(!to.exists(), "the wrong file was left");
    ensure!(fetch::verify(&dir.join("hello"), &pinned).is_err());
    Ok(())
}

fn an_interrupted_build_is_not_taken_for_finished(dir: &Path) -> Result<()> {
    let made = dir.join("made");
    let interrupted = cache::make_once(&made, |part| {
        fs::write(part.join("half"), "half")?;
        anyhow::bail!("interrupted")
    });
    ensure!(interrupted.is_err());
    ensure!(!made.exists() && !cache::is_finished(&made));
    // A folder of the right name that nobody finished counts for nothing either.
    fs::create_dir_all(&made)?;
    fs::write(made.join("foreign"), "")?;
    cache::make_once(&made, |part| {
        ensure!(fs::read_to_string(part.join("half"))? == "half", "the half that was made is not used");
        Ok(fs::write(part.join("whole"), "whole")?)
    })?;
    ensure!(cache::is_finished(&made) && made.join("whole").exists() && !made.join("foreign").exists());
    cache::make_once(&made, |_| anyhow::bail!("what is finished was made again"))
}

fn builds_at_the_same_time_build_once(dir: &Path) -> Result<()> {
    let made = dir.join("made");
    let times = AtomicU32::new(0);
    let make = || {
        cache::make_once(&made, |part| {
            times.fetch_add(1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(100));
            Ok(fs::write(part.join("file"), "")?)
        })?;
        ensure!(made.join("file").exists(), "it is used before it is finished");
        Ok(())
    };
    thread::scope(|s| {
        let builds: Vec<_> = (0..4).map(|_| s.spawn(make)).collect();
        builds.into_iter().try_for_each(|b| b.join().unwrap_or_else(|_| anyhow::bail!("a build panicked")))
    })?;
    ensure!(times.load(Ordering::SeqCst) == 1, "it was built {} times", times.load(Ordering::SeqCst));
    Ok(())
}

fn pins_are_complete(_: &Path) -> Result<()> {
    for pin in pins::all()? {
        let length = if pin.kind == "git" { 40 } else { 64 };
        let is_hex = pin.checksum.bytes().all(|b| b.is_ascii_hexdigit());
        ensure!(pin.checksum.len() == length && is_hex, "{pin:?} has no checksum of its kind");
        ensure!(["git", "file", "pypi", "member"].contains(&pin.kind), "{pin:?} is of no known kind");
    }
    ensure!(pins::addresses("chromium")?.len() > 1);
    ensure!(pins::one("nothing").is_err());
    Ok(())
}

fn a_check_is_known_by_its_words(_: &Path) -> Result<()> {
    let is_check = |line: &str| intent::is_check(&line.split(' ').map(str::to_owned).collect::<Vec<_>>());
    for line in ["cargo check", "/bin/cargo +nightly check --release", "cargo -q clippy -- -D warnings", "cargo doc --no-deps", "cargo c"] {
        ensure!(is_check(line), "{line}");
    }
    for line in ["cargo", "cargo build", "cargo test check", "cargo run -- check", "rustc check.rs", "sh -c cargo check"] {
        ensure!(!is_check(line), "{line}");
    }
    Ok(())
}
