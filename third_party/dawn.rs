//! The doors to Dawn, in the order in which they are tried.

use super::dawn_prefix::Dawn;
use super::vars;
use anyhow::{Context, Result, bail};

/// A Dawn to link with, or `None` where none is wanted.
pub fn find_or_build() -> Result<Option<Dawn>> {
    if let Some(dir) = vars::dawn_dir() {
        let dawn = Dawn::open(&dir).context("While taking Dawn from DAWN_DIR")?;
        println!("Dawn: the installed one that DAWN_DIR names ({})", dawn.describe());
        return Ok(Some(dawn));
    }
    if vars::docs_rs() || vars::no_dawn() {
        return Ok(None);
    }
    bail!("set DAWN_DIR to an installed Dawn")
}
