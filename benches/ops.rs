//! Speed of single ops at the sizes of a model with a billion weights: decoding (one column) and prompts (512), and of each room's
//! first case. `BESIDE=/path/to/libggml-webgpu.so cargo bench --bench ops` measures another backend's module too.

#[path = "../tests/it/support.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod support;

use std::ffi::CString;
use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion};
use ggml_webgpu::ggml::make::{Fill, Make, T};
use ggml_webgpu::ggml::{Type, sys};
use ggml_webgpu::ops;
use support::{Backend, Graph};

type Build = Box<dyn Fn(&Make) -> T<'_> + Send + Sync>;

/// A device to measure.
struct Subject {
    name: &'static str,
    device: sys::ggml_backend_dev_t,
}

fn subjects() -> Vec<Subject> {
    let ours = support::device().expect("an adapter that Dawn accepts (third_party/bootstrap installs a software driver)");
    let mut all = vec![Subject { name: "ours", device: ours.as_ptr() }];
    if let Ok(path) = std::env::var("BESIDE") {
        let path = CString::new(path).expect("a path without NUL");
        // SAFETY: a C string; the registry that comes back lives as long as the process.
        unsafe {
            let reg = sys::ggml_backend_load(path.as_ptr());
            assert!(!reg.is_null() && sys::ggml_backend_reg_dev_count(reg) > 0, "BESIDE is no backend with a device");
            all.push(Subject { name: "beside", device: sys::ggml_backend_reg_dev_get(reg, 0) });
        }
    }
    all
}

fn measure(group: &mut BenchmarkGroup<'_, WallTime>, subjects: &[Subject], name: &str, build: &Build) {
    for subject in subjects {
        let backend = Backend::on(subject.device).expect("a backend");
        let make = Make::new().expect("a graph");
        let result = build(&make).raw();
        // SAFETY: live tensor and device.
        if unsafe { !sys::ggml_backend_dev_supports_op(subject.device, result) } {
            eprintln!("{}: {name} is refused", subject.name);
            continue;
        }
        let graph = Graph::new(&backend, &make, &[result]).expect("memory for the tensors");
        group.bench_function(format!("{name}/{}", subject.name), |b| b.iter(|| black_box(&graph).compute(&backend)));
    }
}

/// The ops of a decoder, for `n` columns.
fn decoder(n: i64) -> Vec<(String, Build)> {
    let mut all: Vec<(String, Build)> = Vec::new();
    for ty in [Type::F16, Type::Q8_0, Type::Q4_0, Type::Q4_K, Type::Q6_K] {
        let product: Build = Box::new(move |m| m.mul_mat(m.weight(ty, [2048, 5632, 1, 1]), m.input(Type::F32, [2048, n, 1, 1])));
        all.push((format!("MUL_MAT {ty} k 2048 m 5632 n {n}"), product));
    }
    all.push((
        format!("FLASH_ATTN_EXT 32 heads of 64, 4 of keys, 1024 keys, {n} queries"),
        Box::new(move |m| {
            let cache = || m.input(Type::F16, [64, 1024, 4, 1]);
            let mask = m.filled(Type::F16, [1024, n, 1, 1], Fill::Mask);
            m.flash_attn_ext(m.input(Type::F32, [64, n, 32, 1]), cache(), cache(), Some(mask), 0.125, 0.0, 0.0)
        }),
    ));
    all.push((format!("RMS_NORM 2048 x {n}"), Box::new(move |m| m.rms_norm(m.input(Type::F32, [2048, n, 1, 1]), 1e-5))));
    all.push((
        format!("ADD 2048 x {n}"),
        Box::new(move |m| m.add(m.input(Type::F32, [2048, n, 1, 1]), m.input(Type::F32, [2048, n, 1, 1]))),
    ));
    all
}

fn main() {
    // SAFETY: no thread has been started yet.
    unsafe { std::env::set_var("GGML_WEBGPU_SOFTWARE", "1") };
    support::log::capture();
    let subjects = subjects();
    let mut criterion = Criterion::default().configure_from_args().warm_up_time(Duration::from_millis(500)).sample_size(20);
    let mut group = criterion.benchmark_group("decoder");
    for (name, build) in [1, 512].into_iter().flat_map(decoder) {
        measure(&mut group, &subjects, &name, &build);
    }
    group.finish();
    let mut group = criterion.benchmark_group("rooms");
    for line in ops::rooms() {
        if let Some(case) = line.room.cases().into_iter().next() {
            measure(&mut group, &subjects, &format!("{}: {}", line.name, case.name), &case.build);
        }
    }
    group.finish();
    criterion.final_summary();
}
