//! ggml's own judge, test-backend-ops, compiled against the linked ggml, on the module that cargo built.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use libtest_mimic::{Failed, Trial};

use crate::life_cycle::module;
use crate::third_party::parts::test_backend_ops;

/// Ops, the cases of each that are run (a pattern of its parameters; empty: all), and how many there are at least. A software
/// driver takes a tenth of a second or more for a case, so of the ops with thousands of cases a part is run here.
const OPS: &[(&str, &str, usize)] = &[
    ("ADD", "", 80),
    ("SUB", "", 80),
    ("MUL", "", 80),
    ("DIV", "", 80),
    ("SCALE", "", 3),
    ("NORM", "", 20),
    ("RMS_NORM", "", 15),
    ("RMS_NORM_MUL_ADD", "", 10),
    ("CPY", "type_src=(f32|f16|i32),.*ne_src=.(256,2,3,4|256,4,4,4|1,2,3,4)", 60),
    ("CONT", "", 10),
    ("DUP", "", 5),
    ("GET_ROWS", "", 80),
    ("SET_ROWS", "type_dst=(f32|f16|bf16|q8_0|q4_0),", 150),
    ("ROPE", "ne_a=.128,", 80),
    ("SOFT_MAX", "", 100),
    ("MUL_MAT", "n=(1|9|16|32),k=(64|256)", 200),
    ("FLASH_ATTN_EXT", "hsk=(64|128),.*nr23=.[14],1.,kv=113,nb=(1|32),mask=1,.*prec=f32,type_K=(f16|q8_0)", 30),
    ("REGLU", "", 5),
    ("GEGLU", "", 5),
    ("SWIGLU", "", 5),
    ("GEGLU_ERF", "", 5),
    ("GEGLU_QUICK", "", 5),
    ("SILU", "", 3),
    ("GELU", "", 3),
    ("GELU_QUICK", "", 3),
    ("GELU_ERF", "", 3),
    ("RELU", "", 3),
    ("TANH", "", 3),
    ("SIGMOID", "", 3),
    ("NEG", "", 3),
    ("EXP", "", 3),
    ("SUM_ROWS", "", 3),
    ("ARGMAX", "", 3),
    ("ARGSORT", "", 10),
];

pub fn trials() -> Vec<Trial> {
    OPS.iter()
        .map(|&(op, pattern, least)| {
            Trial::test(format!("peers::test-backend-ops {op}"), move || {
                judge(op, pattern, least).map_err(|e| Failed::from(format!("{e:#}")))
            })
        })
        .collect()
}

fn judge(op: &str, pattern: &str, least: usize) -> Result<()> {
    let program = test_backend_ops::program(Path::new(env!("GGML_SOURCE_DIR")), Path::new(env!("GGML_LIBRARY_DIR")))?;
    let mut command = Command::new(program);
    command.args(["test", "-b", "WebGPU0", "-o", op]).env("GGML_BACKEND_PATH", module()?.to_str()?);
    if !pattern.is_empty() {
        command.args(["-p", pattern]);
    }
    let output = command.output().context("While running test-backend-ops")?;
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let sums = text.lines().find_map(|l| l.trim().strip_suffix("tests passed").and_then(|l| l.trim().split_once('/')));
    let tail = || text.lines().rev().filter(|l| !l.contains("OK")).take(30).collect::<Vec<_>>().join("\n");
    let (passed, all) = sums.with_context(|| format!("no sum:\n{}", tail()))?;
    ensure!(output.status.success() && passed == all, "{passed} of {all} passed:\n{}", tail());
    ensure!(passed.parse::<usize>()? >= least, "only {passed} cases were run (at least {least} were expected)");
    // A case that the CPU backend cannot check is refused by it, not by us.
    let refused: Vec<&str> = text.lines().filter(|l| l.contains("not supported [WebGPU0]")).collect();
    ensure!(refused.is_empty(), "{} cases are refused:\n{}", refused.len(), refused.join("\n"));
    Ok(())
}
