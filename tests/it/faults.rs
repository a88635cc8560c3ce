//! What goes wrong becomes a status or NULL with a log line, and what comes after works: lost devices, no memory, foreign tensors.

use anyhow::{Context, Result, ensure};
use ggml_webgpu::ggml::Type;
use ggml_webgpu::ggml::make::Make;
use ggml_webgpu::ggml::sys;
use libtest_mimic::Trial;

use crate::child;
use crate::support::{Backend, Graph, device, floats, log};

pub fn trials() -> Vec<Trial> {
    vec![
        child::trial("faults::a lost device", &[], lost_device),
        child::trial("faults::a graph on a tensor of another backend", &[], foreign_tensor),
        child::trial("faults::no memory for a graph", &[], no_memory_for_a_graph),
    ]
}

fn sum(backend: &Backend) -> Result<Vec<f32>> {
    let make = Make::new().context("ggml_init")?;
    let result = make.add(make.input(Type::F32, [16, 2, 1, 1]), make.input(Type::F32, [16, 2, 1, 1])).raw();
    let graph = Graph::new(backend, &make, &[result])?;
    graph.compute(backend)?;
    Ok(floats(result))
}

fn lost_device() -> Result<()> {
    let backend = Backend::ours()?;
    let expected = sum(&backend)?;
    let make = Make::new().context("ggml_init")?;
    let result = make.add(make.input(Type::F32, [16, 2, 1, 1]), make.input(Type::F32, [16, 2, 1, 1])).raw();
    let graph = Graph::new(&backend, &make, &[result])?;
    graph.compute(&backend)?;
    log::take();
    ensure!(ggml_webgpu::lose_first_device(), "no device is open");

    let failed = graph.compute(&backend).is_err();
    ensure!(failed, "a graph was computed on a lost device");
    // Each of these fails with a line, and none aborts.
    // SAFETY: live tensors, buffer and backend.
    unsafe {
        let mut byte = [7_u8; 4];
        sys::ggml_backend_tensor_set(result, byte.as_ptr().cast(), 0, 4);
        sys::ggml_backend_tensor_get(result, byte.as_mut_ptr().cast(), 0, 4);
        sys::ggml_backend_tensor_memset(result, 1, 0, 3);
        sys::ggml_backend_synchronize(backend.raw());
        sys::ggml_backend_buffer_clear((*result).buffer, 1);
    }
    let lines = log::take();
    ensure!(lines.matches("lost").count() >= 4, "the loss is not told:\n{lines}");

    // A new backend opens a new device, beside what is left of the old one.
    let fresh = Backend::ours()?;
    ensure!(sum(&fresh)? == expected, "the new device computes something else");
    ensure!(graph.compute(&fresh).is_err(), "a graph in the old device's memory was computed on the new one");
    drop(graph);
    drop(backend);
    ensure!(sum(&fresh)? == expected, "freeing the old device's things has disturbed the new one");
    Ok(())
}

/// The scheduler asks `supports_op` first; a host that does not ask gets a status.
fn foreign_tensor() -> Result<()> {
    let (ours, cpu) = (Backend::ours()?, Backend::cpu()?);
    let make = Make::new().context("ggml_init")?;
    let a = make.input(Type::F32, [16, 2, 1, 1]);
    let result = make.add_inplace(a, make.input(Type::F32, [16, 2, 1, 1])).raw();
    let graph = Graph::new(&cpu, &make, &[result])?;
    let device = device().context("no device")?.as_ptr();
    // SAFETY: live device and node.
    ensure!(
        unsafe { !sys::ggml_backend_dev_supports_op(device, result) },
        "an op that writes into another backend's buffer is not refused"
    );
    ensure!(graph.compute(&ours).is_err(), "a graph on the host's memory was computed");
    ensure!(graph.compute(&cpu).is_ok(), "the host's own backend fails");
    sum(&ours).map(|_| ())
}

fn no_memory_for_a_graph() -> Result<()> {
    let backend = Backend::ours()?;
    for elements in [1_i64 << 44, 1 << 38] {
        let make = Make::new().context("ggml_init")?;
        let a = make.input(Type::F32, [elements, 1, 1, 1]);
        make.add(a, a);
        // SAFETY: live context and backend.
        let buffer = unsafe { sys::ggml_backend_alloc_ctx_tensors(make.context(), backend.raw()) };
        ensure!(buffer.is_null(), "{elements} floats were allocated");
    }
    ensure!(log::take().contains("no memory"), "the refusal is not told");
    sum(&backend).map(|_| ())
}
