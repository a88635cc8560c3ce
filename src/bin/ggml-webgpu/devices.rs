//! `ggml-webgpu devices`: a table of adapters.

use anyhow::Result;
use comfy_table::{ContentArrangement, Table};
use ggml_webgpu::gpu::Caps;
use ggml_webgpu::gpu::caps::{AdapterKind, MatrixShape};
use ggml_webgpu::gpu::device::{adapters, words_of_dawn};

pub fn run() -> Result<()> {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["device", "adapter and driver", "kind", "memory", "features", "limits"]);
    let mut served = 0;
    for adapter in adapters() {
        let caps = adapter.caps();
        let name = match &caps.unfit {
            Some(why) => format!("- ({why})"),
            None => format!("WebGPU{served}"),
        };
        served += usize::from(caps.unfit.is_none());
        table.add_row([name, adapter_text(caps), kind(caps), memory(caps), features(caps), limits(caps)]);
    }
    if adapters().is_empty() {
        println!(
            "Dawn accepts no adapter. Is a Vulkan driver installed? third_party/bootstrap installs a software driver if there is none."
        );
        for word in words_of_dawn() {
            println!("Dawn: {}", word.trim_end());
        }
    } else {
        println!("{table}");
    }
    Ok(())
}

fn adapter_text(caps: &Caps) -> String {
    format!(
        "{}\n{}\nvendor {} ({:#06x}), device {:#06x}\n{}",
        caps.name, caps.driver, caps.vendor, caps.vendor_id, caps.device_id, caps.backend
    )
}

fn kind(caps: &Caps) -> String {
    match caps.kind {
        AdapterKind::Discrete => "discrete",
        AdapterKind::Integrated => "integrated",
        AdapterKind::Software => "software",
        AdapterKind::Other => "other",
    }
    .to_owned()
}

fn memory(caps: &Caps) -> String {
    if caps.memory == 0 { "unknown".to_owned() } else { format!("{:.1} GiB", gib(caps.memory)) }
}

fn features(caps: &Caps) -> String {
    let yes = |b: bool| if b { "yes" } else { "no" };
    let subgroups = match caps.subgroups {
        Some((least, greatest)) if least == greatest => format!("{least} lanes"),
        Some((least, greatest)) => format!("{least} to {greatest} lanes"),
        None => "no".to_owned(),
    };
    let mut matrices: Vec<String> = caps.matrices.iter().map(matrix).collect();
    matrices.dedup();
    let matrices = if matrices.is_empty() { "no".to_owned() } else { matrices.join("\n         ") };
    format!(
        "f16: {}\nsubgroups: {subgroups}\nmatrices: {matrices}\nbyte dot products: {}\nimmediates: {} bytes\ntimestamps: {}",
        yes(caps.f16),
        yes(caps.dot4),
        caps.immediate_bytes,
        yes(caps.timestamps)
    )
}

fn matrix(m: &MatrixShape) -> String {
    format!("{:?} to {:?} {}x{}x{}", m.component, m.result, m.m, m.n, m.k).to_lowercase()
}

fn limits(caps: &Caps) -> String {
    format!(
        "buffer: {:.2} GiB\nbinding: {:.2} GiB\nworkgroup: {} invocations,\n  {} KiB\nworkgroups: {} each way\nstorage buffers: {}",
        gib(caps.max_buffer),
        gib(caps.max_binding),
        caps.max_invocations,
        caps.max_workgroup_memory / 1024,
        caps.max_workgroups,
        caps.max_storage_buffers
    )
}

fn gib(bytes: u64) -> f64 {
    bytes as f64 / (1_u64 << 30) as f64
}
