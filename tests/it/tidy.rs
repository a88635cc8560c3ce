//! The house rules, as a test: sizes, first lines, who may use what, where unsafe may be, every shader in a room and every room
//! with cases.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use libtest_mimic::{Failed, Trial};

const MOST_LINES: usize = 500;

/// Folders and files of ours.
const PLACES: &[&str] = &["build.rs", "src", "cpp", "shaders", "tests", "benches", "third_party"];

/// Which modules of the crate each layer may name.
const ARROWS: &[(&str, &[&str])] = &[
    ("gpu", &["gpu", "env", "error"]),
    ("ggml", &["ggml", "env", "error"]),
    ("shader", &["shader", "gpu", "env", "error"]),
    ("ops", &["ops", "ggml", "gpu", "shader", "env", "error"]),
    ("exec", &["exec", "ops", "ggml", "gpu", "shader", "env", "error"]),
];

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, test: fn(&[(String, String)]) -> Vec<String>| {
        Trial::test(format!("tidy::{name}"), move || {
            let faults = test(&files());
            if faults.is_empty() { Ok(()) } else { Err(Failed::from(faults.join("\n"))) }
        })
    };
    vec![
        trial("sizes", sizes),
        trial("first lines", first_lines),
        trial("arrows", arrows),
        trial("unsafe", unsafe_places),
        trial("left undone", left_undone),
        trial("environment", environment),
        trial("rooms and shaders", rooms_and_shaders),
    ]
}

/// Text files by path from the package's root.
fn files() -> Vec<(String, String)> {
    fn walk(path: &Path, root: &Path, out: &mut Vec<(String, String)>) {
        if path.is_dir() {
            for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
                walk(&entry.path(), root, out);
            }
        } else if let Ok(text) = std::fs::read_to_string(path) {
            let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
            out.push((name, text));
        }
    }
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut out = Vec::new();
    for place in PLACES {
        walk(&root.join(place), &root, &mut out);
    }
    out
}

fn is_code(name: &str) -> bool {
    [".rs", ".cc", ".h", ".wgsl"].iter().any(|e| name.ends_with(e))
}

fn sizes(files: &[(String, String)]) -> Vec<String> {
    files
        .iter()
        .filter(|f| is_code(&f.0) && f.1.lines().count() > MOST_LINES)
        .map(|f| format!("{} has {} lines (the limit is {MOST_LINES})", f.0, f.1.lines().count()))
        .collect()
}

fn first_lines(files: &[(String, String)]) -> Vec<String> {
    files
        .iter()
        .filter(|f| is_code(&f.0))
        .filter(|f| {
            let first = f.1.lines().next().unwrap_or_default();
            let mark = if f.0.ends_with(".rs") { "//! " } else { "// " };
            !first.starts_with(mark) || first.len() < mark.len() + 12
        })
        .map(|f| format!("{} does not begin with a line that says what lives there", f.0))
        .collect()
}

fn arrows(files: &[(String, String)]) -> Vec<String> {
    let mut faults = Vec::new();
    for (layer, allowed) in ARROWS {
        for (name, text) in files.iter().filter(|f| f.0.starts_with(&format!("src/{layer}/"))) {
            for (i, line) in text.lines().enumerate() {
                for used in line.split("crate::").skip(1) {
                    let module: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                    let macros = ["unsupported", "log"].contains(&module.as_str());
                    if !macros && !allowed.contains(&module.as_str()) {
                        faults.push(format!("{name}:{}: {layer} must not use {module}", i + 1));
                    }
                }
            }
        }
    }
    for (name, text) in files.iter().filter(|f| f.0.starts_with("src/ops/") && f.0 != "src/ops/testing.rs") {
        for (i, line) in text.lines().enumerate() {
            if line.contains("crate::gpu::") && !line.contains("crate::gpu::Caps") && !line.contains("crate::gpu::caps") {
                faults.push(format!("{name}:{}: ops see only the capabilities of the GPU", i + 1));
            }
        }
    }
    let words = [("src/gpu/", "ggml::"), ("src/ggml/", "gpu::"), ("cpp/", "ggml_tensor")];
    for (place, word) in words {
        for (name, _) in files.iter().filter(|f| f.0.starts_with(place) && f.1.contains(word)) {
            faults.push(format!("{name} names {word}"));
        }
    }
    faults
}

fn unsafe_places(files: &[(String, String)]) -> Vec<String> {
    let mut faults = Vec::new();
    for (name, text) in files.iter().filter(|f| f.0.starts_with("src/")) {
        let allowed = name == "src/gpu/bridge.rs" || name.starts_with("src/ggml/") || name.starts_with("src/backend/");
        let lines: Vec<&str> = text.lines().collect();
        for (i, line) in lines.iter().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let word = code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == "unsafe");
            if (word || code.contains("extern \"C\"")) && !allowed {
                faults.push(format!("{name}:{}: unsafe or extern \"C\" outside of its rooms", i + 1));
            }
            let needs_reason = word && code.contains("unsafe {") || code.contains("unsafe impl");
            if needs_reason && !lines[i.saturating_sub(4)..=i].iter().any(|l| l.contains("SAFETY")) {
                faults.push(format!("{name}:{}: unsafe without a SAFETY reason", i + 1));
            }
            let production = !lines[..i].iter().any(|l| l.contains("#[cfg(test)]"));
            if production && (code.contains(".unwrap()") || code.contains(".expect(")) {
                faults.push(format!("{name}:{}: unwrap in src", i + 1));
            }
        }
    }
    faults
}

fn left_undone(files: &[(String, String)]) -> Vec<String> {
    // In pieces, or this file would name them too.
    let words = [["TO", "DO"], ["FIX", "ME"], ["todo", "!("], ["unimplemented", "!("], ["dbg", "!("], ["#[ign", "ore"]].map(|w| w.concat());
    let mut faults = Vec::new();
    for (name, text) in files.iter().filter(|f| is_code(&f.0)) {
        for (i, line) in text.lines().enumerate() {
            if let Some(word) = words.iter().find(|w| line.contains(w.as_str())) {
                faults.push(format!("{name}:{}: {word}", i + 1));
            }
        }
    }
    faults
}

fn environment(files: &[(String, String)]) -> Vec<String> {
    files
        .iter()
        .filter(|f| f.0.starts_with("src/") && f.0 != "src/env.rs" && f.0 != "src/shader/embed.rs")
        .filter(|f| f.1.contains("env::var") || f.1.contains("var_os("))
        .map(|f| format!("{} reads the environment (src/env.rs does)", f.0))
        .collect()
}

fn rooms_and_shaders(files: &[(String, String)]) -> Vec<String> {
    let mut faults = Vec::new();
    for line in ggml_webgpu::ops::TABLE {
        if line.room.cases().is_empty() {
            faults.push(format!("the room {} has no case", line.name));
        }
    }
    let mut users: BTreeMap<String, usize> = BTreeMap::new();
    for shader in ggml_webgpu::shader::generated::names().filter(|n| !n.starts_with("common/")) {
        let quoted = format!("{shader:?}");
        let import = format!("#import {shader}");
        let imports = |text: &str| text.lines().any(|l| l == import || l.starts_with(&format!("{import} ")));
        let count = files
            .iter()
            .filter(|f| f.0.starts_with("src/") && f.1.contains(&quoted) || f.0.starts_with("shaders/") && imports(&f.1))
            .count();
        users.insert(shader.to_owned(), count);
    }
    faults.extend(users.into_iter().filter(|u| u.1 == 0).map(|u| format!("no room uses shaders/{}.wgsl", u.0)));
    faults
}
