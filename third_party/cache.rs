//! What is made once and shared by all builds: a folder that is either finished or not there, whoever makes it.

use anyhow::{Context, Result};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Written last into a folder; without it the folder counts for nothing.
pub const MARKER: &str = "finished";

/// Whether a folder is finished.
pub fn is_finished(dir: &Path) -> bool {
    dir.join(MARKER).is_file()
}

/// Makes a folder unless it is finished. `make` gets another folder, which takes the final name when all of it is there;
/// what an interrupted build left in it is still there for the next. Others who want the same folder wait.
pub fn make_once(dir: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    if is_finished(dir) {
        return Ok(());
    }
    let _lock = lock(dir)?;
    if is_finished(dir) {
        return Ok(());
    }
    let part = beside(dir, "part")?;
    fs::create_dir_all(&part).with_context(|| format!("While making {}", part.display()))?;
    make(&part)?;
    if dir.exists() {
        fs::remove_dir_all(dir).with_context(|| format!("While removing {}, which is not finished", dir.display()))?;
    }
    // Cargo watches the marker for removal; it must not look newer than the build that made it.
    File::create(part.join(MARKER))?.set_modified(SystemTime::UNIX_EPOCH)?;
    fs::rename(&part, dir).with_context(|| format!("While giving {} its name", dir.display()))
}

/// The lock of a folder, held until it is dropped (or the process ends). The file stays: removing it would be a race.
fn lock(dir: &Path) -> Result<File> {
    let path = beside(dir, "lock")?;
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).with_context(|| format!("While making {}", parent.display()))?;
    }
    let file = File::create(&path).with_context(|| format!("While making {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => return Ok(file),
        Err(TryLockError::WouldBlock) => println!("Waiting for another build, which makes {}", dir.display()),
        Err(TryLockError::Error(error)) => return Err(error).with_context(|| format!("While locking {}", path.display())),
    }
    file.lock().with_context(|| format!("While locking {}", path.display()))?;
    Ok(file)
}

fn beside(dir: &Path, ending: &str) -> Result<PathBuf> {
    let name = dir.file_name().with_context(|| format!("{} is no folder to make", dir.display()))?;
    let mut name = name.to_os_string();
    name.push(".");
    name.push(ending);
    Ok(dir.with_file_name(name))
}
