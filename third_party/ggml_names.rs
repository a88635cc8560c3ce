//! Numbers and names of ggml's ops, from its translated headers, so that a module can compare them with the ggml that loads it.

use super::vars;
use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::fs;

/// Writes `ggml_names.rs` into `OUT_DIR`: tables of (number, name) for ops, unary ops and GLU ops.
pub fn write() -> Result<()> {
    let out = vars::out_dir()?;
    let bindings = fs::read_to_string(out.join("ggml.rs")).context("While reading ggml's translated headers")?;
    let mut text = String::new();
    for (table, ty, prefix) in
        [("OPS", "ggml_op", "GGML_OP_"), ("UNARY", "ggml_unary_op", "GGML_UNARY_OP_"), ("GLU", "ggml_glu_op", "GGML_GLU_OP_")]
    {
        writeln!(text, "/// Numbers and names of `{ty}`.\npub const {table}: &[(u32, &str)] = &[")?;
        for line in bindings.lines() {
            let Some((constant, rest)) = line.trim().strip_prefix("pub const ").and_then(|l| l.split_once(": ")) else {
                continue;
            };
            let Some(value) = rest.strip_prefix(ty).and_then(|r| r.strip_prefix(" = ")).and_then(|r| r.strip_suffix(';')) else {
                continue;
            };
            match constant.strip_prefix(prefix) {
                Some("COUNT") | None => {}
                Some(name) => writeln!(text, "    ({value}, {name:?}),")?,
            }
        }
        writeln!(text, "];")?;
    }
    fs::write(out.join("ggml_names.rs"), text).context("While writing ggml_names.rs")
}
