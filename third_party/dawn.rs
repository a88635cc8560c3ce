//! The doors to Dawn, in the order in which they are tried: installed, built before, sources at hand, fetched.

use super::dawn_prefix::Dawn;
use super::{cache, dawn_cmake, dawn_tree, intent, pins, vars};
use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A Dawn to link with, or `None` where nothing is linked and none is at hand.
pub fn find_or_build() -> Result<Option<Dawn>> {
    if vars::docs_rs() || vars::no_dawn() {
        absent("GGML_WEBGPU_NO_DAWN_is_set");
        return Ok(None);
    }
    if let Some(dir) = vars::dawn_dir() {
        let dawn = Dawn::open(&dir).context("While taking Dawn from DAWN_DIR")?;
        println!("Dawn: installed, named by DAWN_DIR ({})", dawn.describe());
        return Ok(Some(dawn));
    }

    let cache = vars::cache_dir()?.join("dawn");
    let source = vars::dawn_source_dir();
    let prefix = cache.join(dawn_cmake::key(&revision(source.as_deref())?)?);
    // Removed, it is made again; finished by another build meanwhile, it is taken.
    println!("cargo:rerun-if-changed={}", prefix.join(cache::MARKER).display());
    if cache::is_finished(&prefix) {
        println!("Dawn: built before ({})", prefix.display());
    } else if intent::links_nothing() {
        println!("cargo:warning=Dawn is not built yet, and this command does not link: cpp/ is not compiled");
        absent("the_build_script_ran_for_a_check");
        return Ok(None);
    } else {
        build(source.as_deref(), &cache, &prefix)?;
    }
    Dawn::open(&prefix).map(Some)
}

/// Builds Dawn from the sources at hand, or fetches them.
fn build(source: Option<&Path>, cache: &Path, prefix: &Path) -> Result<()> {
    println!("cargo:warning=Dawn is built once for all builds of this user, in {}: about 10 minutes on 2 cores", prefix.display());
    dawn_cmake::check_tools()?;
    cache::make_once(prefix, |part| {
        let start = Instant::now();
        let tree = match source {
            Some(tree) => {
                dawn_tree::check(tree).context("While taking Dawn's sources from DAWN_SOURCE_DIR")?;
                println!("Dawn: building the sources that DAWN_SOURCE_DIR names ({})", tree.display());
                tree.to_owned()
            }
            None => fetched(cache)?,
        };
        println!("Dawn: sources at hand after {} s", start.elapsed().as_secs());
        dawn_cmake::build(&tree, part)?;
        println!("Dawn: built and installed after {} s", start.elapsed().as_secs());
        Ok(())
    })
}

/// The pinned sources, kept beside what is built from them: fetching them again would cost more than their 70 MB.
fn fetched(cache: &Path) -> Result<PathBuf> {
    let tree = cache.join(format!("source-{:.12}", pins::one("dawn")?.checksum));
    cache::make_once(&tree, dawn_tree::fetch)?;
    Ok(tree)
}

/// The commit that is built. Sources without one are known by their place.
fn revision(source: Option<&Path>) -> Result<String> {
    let Some(tree) = source else {
        return Ok(pins::one("dawn")?.checksum.to_owned());
    };
    if let Some(commit) = dawn_tree::commit(tree) {
        return Ok(commit);
    }
    let place = tree.canonicalize().with_context(|| format!("DAWN_SOURCE_DIR is no folder ({})", tree.display()))?;
    let hash = Sha256::digest(place.as_os_str().as_encoded_bytes());
    Ok(hash.iter().map(|b| format!("{b:02x}")).collect())
}

/// Without Dawn all that needs no linking works. What links all the same fails, and the linker prints this name.
fn absent(why: &str) {
    println!("cargo:rustc-link-lib=dylib=dawn_is_missing_because_{why}");
}
