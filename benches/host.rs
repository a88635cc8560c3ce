//! What the host pays: to replay a graph of many small nodes (encode and submit), to plan it anew, and to compile kernels.

#[path = "../tests/it/support.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod support;

use std::hint::black_box;
use std::time::Duration;

use criterion::Criterion;
use ggml_webgpu::exec::Shared;
use ggml_webgpu::ggml::Type;
use ggml_webgpu::ggml::make::{Make, T};
use ggml_webgpu::ggml::sys;
use ggml_webgpu::gpu::{self, Caps};
use ggml_webgpu::ops::plan::{SCRATCH, Space, Spaces};
use ggml_webgpu::ops::{self, Planner};
use ggml_webgpu::shader::{Store, Variant};
use support::{Backend, Graph};

/// 256 nodes that depend on each other.
fn chain(m: &Make) -> T<'_> {
    let y = m.input(Type::F32, [64, 1, 1, 1]);
    (0..128).fold(m.input(Type::F32, [64, 1, 1, 1]), |x, _| m.mul(m.add(x, y), y))
}

/// Any address is memory here.
struct Everywhere;

impl Spaces for Everywhere {
    fn find(&self, _address: u64) -> Option<Space> {
        Some(Space { start: 0, end: SCRATCH.start })
    }
}

/// The kernels of the first case of every room.
fn variants(caps: &Caps) -> Vec<Variant> {
    let mut planner = Planner::new(caps, &Everywhere);
    for case in ops::rooms().filter_map(|line| line.room.cases().into_iter().next()) {
        let make = Make::new().expect("a graph");
        let result = (case.build)(&make).raw();
        // SAFETY: live context and tensors; the graph lives as long.
        let graph = unsafe {
            let graph = sys::ggml_new_graph_custom(make.context(), 512, false);
            sys::ggml_build_forward_expand(graph, result);
            ggml_webgpu::ggml::graph::Graph::new(graph).expect("a graph")
        };
        for node in (0..graph.len()).filter_map(|i| graph.node(i).ok()) {
            // What cannot be planned without memory is left out.
            let _ = ops::plan(&node, &mut planner);
        }
    }
    planner.finish().0.into_iter().map(|step| step.variant).collect()
}

fn main() {
    // SAFETY: no thread has been started yet.
    unsafe { std::env::set_var("GGML_WEBGPU_SOFTWARE", "1") };
    support::log::capture();
    let mut criterion = Criterion::default().configure_from_args().warm_up_time(Duration::from_millis(500)).sample_size(20);

    let backend = Backend::ours().expect("an adapter that Dawn accepts");
    let make = Make::new().expect("a graph");
    let result = chain(&make).raw();
    let graph = Graph::new(&backend, &make, &[result]).expect("memory");
    criterion.bench_function("replay of 256 nodes, with the wait for them", |b| b.iter(|| black_box(&graph).compute(&backend)));
    criterion.bench_function("replay of 256 nodes, twice in flight", |b| {
        b.iter(|| {
            // SAFETY: live backend and graph.
            unsafe {
                sys::ggml_backend_graph_compute_async(backend.raw(), graph.graph);
                sys::ggml_backend_graph_compute_async(backend.raw(), graph.graph);
                sys::ggml_backend_synchronize(backend.raw());
            }
        });
    });
    // A changed parameter makes it another graph.
    let mut number = 0_i32;
    criterion.bench_function("planning of 256 nodes, and the wait for them", |b| {
        b.iter(|| {
            number += 1;
            // SAFETY: a live node, whose spare parameter no room reads.
            unsafe { (*sys::ggml_graph_node(graph.graph, 0)).op_params[15] = number };
            graph.compute(&backend)
        });
    });

    let shared = Shared::open(gpu::device::adapters().first().expect("an adapter")).expect("a device");
    let variants = variants(shared.caps());
    criterion.bench_function(&format!("compiling {} kernels", variants.len()), |b| {
        b.iter(|| {
            let store = Store::default();
            store.get(shared.device(), &variants.iter().collect::<Vec<_>>()).expect("kernels that compile")
        });
    });
    criterion.final_summary();
}
