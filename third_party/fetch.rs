//! The only code that reaches the network. Everything it brings has a pinned commit or checksum.

use super::toolchain;
use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long a server may take to say that it is there.
const ANSWER: Duration = Duration::from_secs(20);

/// Fails soon if git cannot reach a repository.
pub fn reach_git(address: &str) -> Result<()> {
    toolchain::need("git", "git")?;
    let mut command = git(None);
    command.args(["ls-remote", "--exit-code", address, "HEAD"]).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().context("While running git")?;
    match wait(&mut child, ANSWER)? {
        Some(status) if status.success() => Ok(()),
        Some(_) => {
            let mut why = String::new();
            if let Some(mut stderr) = child.stderr.take() {
                stderr.read_to_string(&mut why)?;
            }
            bail!("git cannot reach {address}: {}", last_line(&why))
        }
        None => bail!("git cannot reach {address}: no answer for {} seconds", ANSWER.as_secs()),
    }
}

/// Fetches one commit, without history, and checks out only `folders` (all if there are none) into `dir`.
pub fn git_commit(address: &str, commit: &str, folders: &[&str], dir: &Path) -> Result<()> {
    toolchain::need("git", "git")?;
    println!("Fetching {address} at {commit}");
    fs::create_dir_all(dir)?;
    // An interrupted git leaves locks behind.
    let _ = fs::remove_dir_all(dir.join(".git"));
    let run = |args: &[&str]| -> Result<String> {
        let out = git(Some(dir)).args(args).output().context("While running git")?;
        if !out.status.success() {
            bail!("git {} fails: {}", args.join(" "), last_line(&String::from_utf8_lossy(&out.stderr)));
        }
        Ok(String::from_utf8_lossy(&out.stdout).trim().to_owned())
    };
    run(&["init", "--quiet"])?;
    run(&["remote", "add", "origin", address])?;
    if !folders.is_empty() {
        let mut set = vec!["sparse-checkout", "set", "--no-cone"];
        set.extend_from_slice(folders);
        run(&set)?;
    }
    // A server that cannot leave files out sends all of them.
    run(&["fetch", "--quiet", "--depth=1", "--filter=blob:none", "origin", commit])?;
    run(&["checkout", "--quiet", "--force", "FETCH_HEAD"])?;
    let head = run(&["rev-parse", "HEAD"])?;
    if head != commit {
        bail!("{address} gave the commit {head} instead of {commit}");
    }
    Ok(())
}

/// Downloads a file that has the SHA-256 `checksum`, from the first address that gives it.
pub fn file(addresses: &[&str], checksum: &str, to: &Path) -> Result<()> {
    let part = to.with_extension("download");
    if let Some(dir) = to.parent() {
        fs::create_dir_all(dir)?;
    }
    let mut failures = Vec::new();
    for address in addresses {
        println!("Downloading {address}");
        match download(address, checksum, &part) {
            Ok(()) => return fs::rename(&part, to).with_context(|| format!("While giving {} its name", to.display())),
            Err(error) => failures.push(format!("{address}: {error:#}")),
        }
    }
    bail!("nothing could be downloaded. {}", failures.join("; "))
}

/// Downloads a file of the Python package index: its project's page, with the name of the file at the end.
#[allow(dead_code, reason = "the build needs nothing of the index; the tests do")]
pub fn pypi(address: &str, checksum: &str, to: &Path) -> Result<()> {
    let (page, name) = address.rsplit_once('/').context("The address of a file in the index has no name")?;
    let out = curl().arg(format!("{page}/")).output().context("While running curl")?;
    if !out.status.success() {
        bail!("{page}/ cannot be read: {}", last_line(&String::from_utf8_lossy(&out.stderr)));
    }
    let text = String::from_utf8_lossy(&out.stdout);
    let links = text.split("href=\"").skip(1).filter_map(|l| l.split(['"', '#']).next());
    let link = links.into_iter().find(|l| l.ends_with(&format!("/{name}"))).with_context(|| format!("{page}/ has no file {name}"))?;
    file(&[link], checksum, to)
}

/// Fails if a file has not the SHA-256 `checksum`.
pub fn verify(path: &Path, checksum: &str) -> Result<()> {
    let mut hash = Sha256::new();
    let mut file = File::open(path).with_context(|| format!("While reading {}", path.display()))?;
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            n => hash.update(buffer.get(..n).unwrap_or_default()),
        }
    }
    let found: String = hash.finalize().iter().map(|b| format!("{b:02x}")).collect();
    if found != checksum {
        bail!("the checksum of {} is {found}, but {checksum} is pinned", path.display());
    }
    Ok(())
}

/// apt's own downloader: it knows the system's proxies and checks the sum while it reads.
pub fn apt_helper() -> Option<PathBuf> {
    let path = PathBuf::from("/usr/lib/apt/apt-helper");
    path.is_file().then_some(path)
}

fn download(address: &str, checksum: &str, part: &Path) -> Result<()> {
    let _ = fs::remove_file(part);
    let by_apt = apt_helper().filter(|_| !address.starts_with("https:"));
    let mut command = match &by_apt {
        Some(apt) => {
            let mut command = Command::new(apt);
            command.arg("download-file").arg(address).arg(part).arg(format!("SHA256:{checksum}"));
            command
        }
        None => {
            toolchain::need("curl", "curl")?;
            let mut command = curl();
            command.arg("--output").arg(part).arg(address);
            command
        }
    };
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let out = watch(child.context("While starting the download")?, part)?;
    let why = String::from_utf8_lossy(&out.stderr);
    if why.contains("Hash Sum mismatch") {
        bail!("what it gave has not the pinned checksum {checksum}");
    }
    if !out.status.success() {
        bail!("{}", why.lines().find(|l| l.starts_with("E: ")).unwrap_or(last_line(&why)));
    }
    if by_apt.is_some() { Ok(()) } else { verify(part, checksum) }
}

/// Waits for a download and tells how far it is.
fn watch(mut child: Child, part: &Path) -> Result<Output> {
    let mut told = Instant::now();
    while child.try_wait()?.is_none() {
        thread::sleep(Duration::from_millis(100));
        if told.elapsed() > Duration::from_secs(2) {
            told = Instant::now();
            if let Ok(meta) = fs::metadata(part) {
                println!("Downloaded {} MB", meta.len() >> 20);
            }
        }
    }
    Ok(child.wait_with_output()?)
}

/// `None`: the time is over, and the process is ended.
fn wait(child: &mut Child, limit: Duration) -> Result<Option<ExitStatus>> {
    let start = Instant::now();
    while start.elapsed() < limit {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(Duration::from_millis(20));
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

fn git(dir: Option<&Path>) -> Command {
    let mut command = Command::new("git");
    if let Some(dir) = dir {
        command.arg("-C").arg(dir);
    }
    command.args(["-c", "advice.detachedHead=false", "-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=60"]);
    // Cargo may run in a hook of the user's own repository.
    command.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").env_remove("GIT_INDEX_FILE");
    command.env("GIT_TERMINAL_PROMPT", "0").stdin(Stdio::null());
    command
}

fn curl() -> Command {
    let mut command = Command::new("curl");
    command.args(["--fail", "--location", "--silent", "--show-error", "--retry", "3", "--connect-timeout", "20"]);
    command
}

fn last_line(text: &str) -> &str {
    text.trim().lines().last().unwrap_or("no reason given")
}
