//! The README's tables of environment variables and of ops are those of the code. `WRITE_README=1 cargo test --release -- readme`
//! writes them anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use ggml_webgpu::env;
use ggml_webgpu::ggml::make::Make;
use ggml_webgpu::ggml::tensor::op_name;
use ggml_webgpu::ggml::types::{Class, TABLE};
use ggml_webgpu::ggml::{names, sys};
use ggml_webgpu::ops;
use libtest_mimic::{Failed, Trial};

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, table: fn() -> Result<String>| {
        let part = name.to_owned();
        Trial::test(format!("readme::{name}"), move || {
            table().and_then(|t| is_fresh(&part, &t)).map_err(|e| Failed::from(format!("{e:#}")))
        })
    };
    vec![trial("environment", environment), trial("ops", operations)]
}

/// Compares what stands between `<!-- part -->` and `<!-- end of part -->` with `table`.
fn is_fresh(part: &str, table: &str) -> Result<()> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = std::fs::read_to_string(&path).context("README.md")?;
    let (open, close) = (format!("<!-- {part} -->\n"), format!("<!-- end of {part} -->"));
    let start = text.find(&open).with_context(|| format!("README.md has no {open}"))? + open.len();
    let end = start + text[start..].find(&close).with_context(|| format!("README.md has no {close}"))?;
    if std::env::var_os("WRITE_README").is_some() {
        std::fs::write(&path, format!("{}{table}{}", &text[..start], &text[end..]))?;
        return Ok(());
    }
    ensure!(&text[start..end] == table, "README.md's table of {part} is stale; WRITE_README=1 writes it. It should be:\n{table}");
    Ok(())
}

fn environment() -> Result<String> {
    let mut table = "| variable | value | effect |\n| --- | --- | --- |\n".to_owned();
    for v in env::TABLE {
        writeln!(table, "| `{}` | {} | {} |", v.name, v.value, v.effect)?;
    }
    Ok(table)
}

/// Types that an op's cases have: of the sources, and of the result.
#[derive(Default)]
struct Seen {
    sources: [BTreeSet<u32>; 3],
    result: BTreeSet<u32>,
}

/// A line for each op, with the types that its room's cases have: each of them is a test.
fn operations() -> Result<String> {
    let mut seen: BTreeMap<String, Seen> = BTreeMap::new();
    let mut ops_seen = BTreeSet::new();
    for line in ops::rooms() {
        for case in line.room.cases() {
            let make = Make::new().context("ggml_init")?;
            let result = (case.build)(&make).raw();
            // SAFETY: live context and tensors; the graph is freed with the context.
            unsafe {
                let graph = sys::ggml_new_graph_custom(make.context(), 512, false);
                for root in make.also_computed().into_iter().chain([result]) {
                    sys::ggml_build_forward_expand(graph, root);
                }
                for i in 0..sys::ggml_graph_n_nodes(graph) {
                    let node = &*sys::ggml_graph_node(graph, i);
                    if !ops::TABLE.iter().any(|l| l.op == node.op && l.name == line.name) {
                        continue;
                    }
                    ops_seen.insert(node.op);
                    let entry = seen.entry(name(node)).or_default();
                    for (types, source) in entry.sources.iter_mut().zip(node.src) {
                        types.extend(source.as_ref().map(|s| s.type_));
                    }
                    entry.result.insert(node.type_);
                }
            }
        }
    }
    for line in ops::TABLE {
        ensure!(ops_seen.contains(&line.op), "no case has the op {}", op_name(line.op));
    }
    let mut table = "| op | first source | second | third | result |\n| --- | --- | --- | --- | --- |\n".to_owned();
    for (name, types) in seen {
        let [a, b, c] = types.sources.each_ref().map(listed);
        writeln!(table, "| {name} | {a} | {b} | {c} | {} |", listed(&types.result))?;
    }
    Ok(table)
}

/// The op's name, for UNARY and GLU with the function's.
fn name(node: &sys::ggml_tensor) -> String {
    let kind = node.op_params[0] as u32;
    let of = |table: &[(u32, &str)]| table.iter().find(|n| n.0 == kind).map_or(String::new(), |n| format!(" {}", n.1));
    let function = match node.op {
        sys::GGML_OP_UNARY => of(names::UNARY),
        sys::GGML_OP_GLU => of(names::GLU),
        _ => String::new(),
    };
    format!("{}{function}", op_name(node.op))
}

/// Types in the order of the table; all quantised ones in two words.
fn listed(types: &BTreeSet<u32>) -> String {
    let quantised = || TABLE.iter().filter(|t| t.class == Class::Quant);
    let every = quantised().all(|t| types.contains(&t.id));
    let mut words: Vec<&str> =
        TABLE.iter().filter(|t| types.contains(&t.id) && !(every && t.class == Class::Quant)).map(|t| t.name).collect();
    if every {
        words.push("all quantised");
    }
    words.join(" ")
}
