//! Runs at build time: gathers `shaders/**.wgsl`, and turns each `struct Params` into a Rust struct, so that a field added in
//! a shader is a compile error in its room until it is filled.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Writes `$OUT_DIR/shaders.rs`.
pub fn write() -> Result<()> {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("shaders");
    println!("cargo:rerun-if-changed={}", root.display());
    println!("cargo:rerun-if-changed=src/shader/embed.rs");
    let mut files = BTreeMap::new();
    gather(&root, &root, &mut files)?;
    let mut structs = String::new();
    let mut texts = BTreeMap::new();
    let mut words = BTreeMap::new();
    for (name, path) in &files {
        let text = std::fs::read_to_string(path).with_context(|| format!("While reading {}", path.display()))?;
        let fields = params(&text).with_context(|| format!("shaders/{name}.wgsl: struct Params"))?;
        if !fields.is_empty() {
            rust_struct(&mut structs, name, &fields)?;
            words.insert(name.as_str(), fields.iter().map(|(_, ty)| ty.words()).sum::<usize>());
        }
        texts.insert(name, text);
    }
    let mut list = String::new();
    for (name, path) in &files {
        // The kernels of one op may share their `Params`, which then stand in an import.
        let words = words.get(name.as_str()).or_else(|| imports(&texts[name]).find_map(|import| words.get(import))).unwrap_or(&0);
        writeln!(list, "    ({name:?}, include_str!({:?}), {words}),", path.display().to_string())?;
    }
    let out = PathBuf::from(std::env::var("OUT_DIR")?).join("shaders.rs");
    let text = format!(
        "static SHADERS: &[(&str, &str, usize)] = &[\n{list}];\n\n\
         /// The `Params` of each shader, by its name.\n#[allow(missing_docs, reason = \"the shaders document them\")]\npub mod params {{\n{structs}}}\n"
    );
    std::fs::write(&out, text).with_context(|| format!("While writing {}", out.display()))
}

fn gather(root: &Path, folder: &Path, files: &mut BTreeMap<String, PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| format!("While reading {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            gather(root, &path, files)?;
        } else if path.extension().is_some_and(|e| e == "wgsl") {
            let name = path.strip_prefix(root)?.with_extension("").display().to_string().replace('\\', "/");
            files.insert(name, path);
        }
    }
    Ok(())
}

/// The paths that a shader imports itself.
fn imports(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| line.strip_prefix("#import ")?.split(' ').next())
}

enum Field {
    U32,
    I32,
    F32,
    View,
}

impl Field {
    fn words(&self) -> usize {
        if matches!(self, Self::View) { 5 } else { 1 }
    }
}

/// The fields of `struct Params { name: type, ... }`: flat scalars and `View`, no directive inside.
fn params(text: &str) -> Result<Vec<(String, Field)>> {
    let Some(start) = text.find("struct Params {") else { return Ok(Vec::new()) };
    let body = &text[start + "struct Params {".len()..];
    let body = &body[..body.find('}').context("has no end")?];
    let mut fields = Vec::new();
    for line in body.lines() {
        let line = line.split("//").next().unwrap_or_default();
        for field in line.split(',').map(str::trim).filter(|f| !f.is_empty()) {
            let Some((name, ty)) = field.split_once(':') else { bail!("{field:?} is not `name: type`") };
            let ty = match ty.trim() {
                "u32" => Field::U32,
                "i32" => Field::I32,
                "f32" => Field::F32,
                "View" => Field::View,
                other => bail!("{name} has the type {other}; only u32, i32, f32 and View are taken"),
            };
            fields.push((name.trim().to_owned(), ty));
        }
    }
    Ok(fields)
}

fn rust_struct(out: &mut String, shader: &str, fields: &[(String, Field)]) -> Result<()> {
    let module = shader.replace('/', "_");
    writeln!(out, "    pub mod {module} {{\n        use crate::shader::{{View, Words}};")?;
    writeln!(out, "        #[allow(unused_imports)] use View as _View;")?;
    writeln!(out, "        #[derive(Debug, Clone, Copy, Default, PartialEq)]\n        pub struct Params {{")?;
    for (name, ty) in fields {
        let ty = match ty {
            Field::U32 => "u32",
            Field::I32 => "i32",
            Field::F32 => "f32",
            Field::View => "View",
        };
        writeln!(out, "            pub {name}: {ty},")?;
    }
    writeln!(out, "        }}\n        impl Words for Params {{\n            fn words(&self) -> Vec<u32> {{")?;
    writeln!(out, "                let mut w = Vec::new();")?;
    for (name, ty) in fields {
        match ty {
            Field::U32 => writeln!(out, "                w.push(self.{name});")?,
            Field::I32 => writeln!(out, "                w.push(self.{name} as u32);")?,
            Field::F32 => writeln!(out, "                w.push(self.{name}.to_bits());")?,
            Field::View => writeln!(out, "                w.extend(self.{name}.words());")?,
        }
    }
    writeln!(out, "                w\n            }}\n        }}\n    }}")?;
    Ok(())
}
