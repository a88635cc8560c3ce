//! The ggml that is linked, which the crate `llama-cpp-sys-2` builds: its headers, their Rust form, and its libraries at run time.

use super::vars;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

pub struct Ggml {
    source: PathBuf,
    libraries: PathBuf,
}

/// Finds the sources that the linked ggml was built from: CMake noted them beside what it built.
pub fn find() -> Result<Ggml> {
    let root = vars::llama_root()?;
    let cache = root.join("build/CMakeCache.txt");
    let text = fs::read_to_string(&cache).with_context(|| format!("While looking for ggml's sources in {}", cache.display()))?;
    let home = text.lines().find_map(|l| l.strip_prefix("CMAKE_HOME_DIRECTORY:INTERNAL="));
    let source = Path::new(home.with_context(|| format!("{} does not name the sources", cache.display()))?).join("ggml");
    if !source.join("src/ggml-backend-impl.h").is_file() {
        bail!("{} is not ggml's source: it has no src/ggml-backend-impl.h", source.display());
    }
    Ok(Ggml { source, libraries: root.join("lib") })
}

impl Ggml {
    /// Writes `ggml.rs` into `OUT_DIR`: every type, constant and function of the headers, as they are.
    pub fn bind(&self) -> Result<()> {
        let wrapper = vars::package_dir()?.join("third_party/ggml_wrapper.h");
        let bindings = bindgen::builder()
            .header(wrapper.display().to_string())
            .clang_args(["include", "src"].iter().map(|d| format!("-I{}", self.source.join(d).display())))
            .parse_callbacks(Box::new(bindgen::CargoCallbacks::new()))
            .allowlist_item("(ggml|GGML|gguf|GGUF)_.*")
            // Only passed by pointer; its bit fields in a newer C library make code that rustc warns of.
            .opaque_type("_IO_FILE")
            .default_enum_style(bindgen::EnumVariation::Consts)
            .prepend_enum_name(false)
            .derive_default(true)
            .layout_tests(false)
            .generate_comments(false)
            .generate()
            .context("While translating ggml's headers with bindgen (it needs libclang: `sudo apt-get install libclang-dev`)")?;
        bindings.write_to_file(vars::out_dir()?.join("ggml.rs")).context("While writing ggml.rs")
    }

    /// Tells the tests where ggml's headers and libraries are: `env!("GGML_SOURCE_DIR")`, `env!("GGML_LIBRARY_DIR")`.
    pub fn tell_tests(&self) {
        println!("cargo:rustc-env=GGML_SOURCE_DIR={}", self.source.display());
        println!("cargo:rustc-env=GGML_LIBRARY_DIR={}", self.libraries.display());
    }

    /// Lets the programs, tests and benches find ggml's libraries when cargo does not start them. The module needs no
    /// path: the program that loads it has ggml already.
    pub fn set_rpath(&self) -> Result<()> {
        let os = vars::target_os()?;
        let beside = match os.as_str() {
            "windows" => return Ok(()),
            "macos" => "@executable_path",
            _ => "$ORIGIN",
        };
        let package = vars::package_dir()?;
        for (kind, folder) in [("bins", "src/bin"), ("tests", "tests"), ("benches", "benches")] {
            // Cargo refuses the instruction for a kind of target that the package does not have.
            let has_some = fs::read_dir(package.join(folder)).is_ok_and(|mut d| d.next().is_some());
            if !has_some {
                continue;
            }
            if os == "linux" {
                // ggml's libraries need each other and have no path of their own: only the older kind of tag reaches them.
                println!("cargo:rustc-link-arg-{kind}=-Wl,--disable-new-dtags");
            }
            for path in [Path::new(beside), &self.libraries] {
                println!("cargo:rustc-link-arg-{kind}=-Wl,-rpath,{}", path.display());
            }
        }
        Ok(())
    }
}
