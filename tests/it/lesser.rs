//! Lesser devices: cases of every room with capabilities hidden, each set in a process of its own.

use anyhow::{Context, Result, ensure};
use ggml_webgpu::gpu::caps::AdapterKind;
use ggml_webgpu::gpu::device::adapters;
use ggml_webgpu::ops;
use libtest_mimic::Trial;

use crate::{child, support};

/// Cases of a room at most: spread over all that it has.
const EACH: usize = 6;

pub fn trials() -> Vec<Trial> {
    vec![
        child::trial("lesser::without f16", &[("GGML_WEBGPU_DISABLE", "f16")], some_of_each_room),
        child::trial("lesser::without subgroups", &[("GGML_WEBGPU_DISABLE", "subgroups")], some_of_each_room),
        child::trial("lesser::without immediates", &[("GGML_WEBGPU_DISABLE", "immediates")], some_of_each_room),
        child::trial(
            "lesser::with nothing but the core",
            &[("GGML_WEBGPU_DISABLE", "f16,subgroups,matrix,dot4,immediates")],
            some_of_each_room,
        ),
        // The variable is Mesa's: bits of llvmpipe's vectors, of which each lane takes 32. Hardware keeps the lanes that it has.
        child::trial("lesser::with 4 lanes", &[("LP_NATIVE_VECTOR_WIDTH", "128")], || with_lanes(4)),
        child::trial("lesser::with 16 lanes", &[("LP_NATIVE_VECTOR_WIDTH", "512")], || with_lanes(16)),
    ]
}

fn with_lanes(lanes: u32) -> Result<()> {
    for adapter in adapters().iter().filter(|a| a.caps().kind == AdapterKind::Software && a.caps().unfit.is_none()) {
        let has = adapter.caps().subgroups;
        ensure!(has == Some((lanes, lanes)), "{} has subgroups of {has:?}, not of {lanes}", adapter.caps().name);
    }
    some_of_each_room()
}

fn some_of_each_room() -> Result<()> {
    let mut faults = Vec::new();
    for line in ops::rooms() {
        let cases = line.room.cases();
        let step = cases.len().div_ceil(EACH).max(1);
        for case in cases.iter().step_by(step) {
            if let Err(e) = support::check(case).with_context(|| format!("{}: {}", line.name, case.name)) {
                faults.push(format!("{e:#}"));
            }
        }
    }
    ensure!(ops::rooms().count() > 40, "only {} rooms", ops::rooms().count());
    ensure!(faults.is_empty(), "{}", faults.join("\n"));
    Ok(())
}
