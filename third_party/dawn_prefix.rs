//! A Dawn that is ready to be linked: finding headers and library below a prefix, and telling cargo how to link them.

use super::{toolchain, vars};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Headers and library of one Dawn.
pub struct Dawn {
    pub include: PathBuf,
    library: PathBuf,
}

/// Static first: then the module has Dawn inside.
const LIBRARIES: &[&str] = &["libwebgpu_dawn.a", "webgpu_dawn.lib", "libwebgpu_dawn.so", "libwebgpu_dawn.so.0", "libwebgpu_dawn.dylib"];

/// What a static Dawn needs of the system.
const MACOS_FRAMEWORKS: &[&str] = &["Foundation", "Metal", "QuartzCore", "IOKit", "IOSurface", "CoreGraphics"];
const WINDOWS_LIBRARIES: &[&str] = &["dxguid", "user32", "onecore"];

/// The project that asks Dawn's CMake package where things are.
const ASK_CMAKE: &str = r#"cmake_minimum_required(VERSION 3.22)
project(ask LANGUAGES C CXX)
find_package(Dawn CONFIG REQUIRED)
file(GENERATE OUTPUT "${CMAKE_BINARY_DIR}/answer"
     CONTENT "$<TARGET_FILE:dawn::webgpu_dawn>\n$<TARGET_PROPERTY:dawn::dawn_public_config,INTERFACE_INCLUDE_DIRECTORIES>\n")
"#;

impl Dawn {
    /// The Dawn below a prefix, by the usual paths, else through its CMake package.
    pub fn open(prefix: &Path) -> Result<Dawn> {
        if let Some(found) = Dawn::by_path(prefix)? {
            return Ok(found);
        }
        let found = Dawn::by_cmake(prefix).with_context(|| {
            format!(
                "there is no Dawn in {}: neither include/webgpu/webgpu_cpp.h with a library webgpu_dawn in lib, nor a CMake package",
                prefix.display()
            )
        })?;
        Ok(found)
    }

    fn by_path(prefix: &Path) -> Result<Option<Dawn>> {
        let include = prefix.join("include");
        if !include.join("webgpu/webgpu_cpp.h").is_file() {
            return Ok(None);
        }
        let target = vars::target()?;
        let arch = target.split('-').next().unwrap_or_default();
        let folders = ["lib".into(), "lib64".into(), format!("lib/{arch}-linux-gnu"), ".".into()];
        let library = folders.iter().flat_map(|f| LIBRARIES.iter().map(move |l| prefix.join(f).join(l))).find(|l| l.is_file());
        Ok(library.map(|library| Dawn { include, library }))
    }

    fn by_cmake(prefix: &Path) -> Result<Dawn> {
        toolchain::need("cmake", "cmake")?;
        let dir = vars::out_dir()?.join("ask-cmake");
        fs::create_dir_all(&dir)?;
        fs::write(dir.join("CMakeLists.txt"), ASK_CMAKE)?;
        let mut cmake = Command::new("cmake");
        cmake.arg("-S").arg(&dir).arg("-B").arg(dir.join("build")).arg("--fresh");
        cmake.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display())).arg(format!("-DDawn_DIR={}", prefix.display()));
        let out = cmake.output().context("While running cmake")?;
        if !out.status.success() {
            bail!("cmake does not find the package Dawn:\n{}", String::from_utf8_lossy(&out.stderr).trim());
        }
        let answer = fs::read_to_string(dir.join("build/answer"))?;
        let (library, includes) = answer.split_once('\n').context("cmake gave no answer")?;
        let include = includes.trim().split(';').map(PathBuf::from).find(|d| d.join("webgpu/webgpu_cpp.h").is_file());
        let include = include.with_context(|| format!("the package names no folder with webgpu/webgpu_cpp.h ({})", includes.trim()))?;
        Ok(Dawn { include, library: library.into() })
    }

    /// Whether the compiler looks into the header folder by itself; naming such a folder again would change its order.
    pub fn include_is_standard(&self) -> bool {
        self.include == Path::new("/usr/include") || self.include == Path::new("/usr/local/include")
    }

    /// Tells cargo to link this Dawn. Comes after the bridge, which needs it.
    pub fn link(&self) -> Result<()> {
        let name = self.library.file_name().and_then(|n| n.to_str()).context("The library of Dawn has no readable name")?;
        let dir = self.library.parent().context("The library of Dawn is in no folder")?;
        println!("cargo:rustc-link-search=native={}", dir.display());
        if name.ends_with(".a") || name.ends_with(".lib") {
            // Not bundled: 70 MB would be copied into each rlib.
            println!("cargo:rustc-link-lib=static:-bundle=webgpu_dawn");
            return link_system();
        }
        if name.contains(".so.") {
            println!("cargo:rustc-link-lib=dylib:+verbatim={name}");
        } else {
            println!("cargo:rustc-link-lib=dylib=webgpu_dawn");
        }
        if !dir.starts_with("/usr/lib") {
            println!("cargo:rustc-link-arg=-Wl,-rpath,{}", dir.display());
        }
        Ok(())
    }

    pub fn describe(&self) -> String {
        self.library.display().to_string()
    }
}

fn link_system() -> Result<()> {
    match vars::target_os()?.as_str() {
        "macos" => {
            println!("cargo:rustc-link-lib=dylib=c++");
            MACOS_FRAMEWORKS.iter().for_each(|f| println!("cargo:rustc-link-lib=framework={f}"));
        }
        "windows" => WINDOWS_LIBRARIES.iter().for_each(|l| println!("cargo:rustc-link-lib=dylib={l}")),
        _ => ["stdc++", "dl", "m"].iter().for_each(|l| println!("cargo:rustc-link-lib=dylib={l}")),
    }
    Ok(())
}
