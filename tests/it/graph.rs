//! Graphs as a whole: plans are kept and dropped, fusion changes nothing, many graphs are in flight, streams share a device.

use anyhow::{Context, Result, ensure};
use ggml_webgpu::exec::stats;
use ggml_webgpu::ggml::Type;
use ggml_webgpu::ggml::make::{Make, T};
use ggml_webgpu::ggml::sys;
use libtest_mimic::{Failed, Trial};

use crate::child;
use crate::support::{Backend, Graph, floats, nmse};

pub fn trials() -> Vec<Trial> {
    vec![
        child::trial("graph::a plan is kept for the same graph", &[], plan_is_kept),
        child::trial("graph::a freed buffer drops the plans that name it", &[], plans_are_dropped),
        child::trial_compare("graph::fused and unfused agree", &[&[], &[("GGML_WEBGPU_DISABLE", "fusion")]], 1e-12, every_fusion),
        child::trial_compare("graph::planned anew each time or kept agree", &[&[], &[("GGML_WEBGPU_DISABLE", "plan")]], 0.0, many_rounds),
        Trial::test("graph::two threads", || two_threads().map_err(|e| Failed::from(format!("{e:#}")))),
        Trial::test("graph::asynchronous access", || asynchronous().map_err(|e| Failed::from(format!("{e:#}")))),
        Trial::test("graph::events", || events().map_err(|e| Failed::from(format!("{e:#}")))),
    ]
}

/// A few layers of what a decoder does with one token.
fn layers(m: &Make) -> T<'_> {
    let mut x = m.input(Type::F32, [256, 3, 1, 1]);
    for _ in 0..4 {
        let weight = m.weight(Type::F32, [256, 1, 1, 1]);
        let normed = m.mul(m.rms_norm(x, 1e-5), weight);
        let [q, k, v] = [64, 32, 32].map(|rows| m.mul_mat(m.weight(Type::F16, [256, rows, 1, 1]), normed));
        for t in [q, k, v] {
            m.also(t);
        }
        let up = m.mul_mat(m.weight(Type::F16, [256, 512, 1, 1]), normed);
        let down = m.mul_mat(m.weight(Type::F16, [512, 256, 1, 1]), up);
        let scores = m.mul(m.mul(k, v), m.weight(Type::F32, [32, 1, 1, 1]));
        x = m.add(x, m.add(down, m.mul_mat(m.weight(Type::F16, [32, 256, 1, 1]), scores)));
    }
    x
}

fn plan_is_kept() -> Result<()> {
    let (make, backend) = (Make::new().context("ggml_init")?, Backend::ours()?);
    let result = layers(&make).raw();
    let graph = Graph::new(&backend, &make, &[result])?;
    graph.compute(&backend)?;
    ensure!(stats::plans() == 1, "{} plans for the first graph", stats::plans());
    let first = floats(result);
    for _ in 0..20 {
        graph.compute(&backend)?;
    }
    ensure!(stats::plans() == 1, "{} plans for one graph computed 21 times", stats::plans());
    ensure!(stats::fused("rms_norm_mul") > 0, "nothing was fused");
    ensure!(floats(result) == first, "a replay gives another result");
    ensure!(stats::nodes().is_multiple_of(21), "{} nodes in 21 graphs", stats::nodes());
    // The same tensors with other parameters are another graph.
    // SAFETY: a live node; its first parameter is rms_norm's epsilon.
    unsafe {
        let node = sys::ggml_graph_node(graph.graph, 0);
        (*node).op_params[0] = 0.5_f32.to_bits() as i32;
    }
    graph.compute(&backend)?;
    ensure!(stats::plans() == 2, "a changed parameter was not noticed");
    ensure!(floats(result) != first, "a changed parameter changes nothing");
    Ok(())
}

fn plans_are_dropped() -> Result<()> {
    let backend = Backend::ours()?;
    let mut results = Vec::new();
    for round in 1..=3 {
        let make = Make::new().context("ggml_init")?;
        let result = layers(&make).raw();
        let graph = Graph::new(&backend, &make, &[result])?;
        graph.compute(&backend)?;
        results.push(floats(result));
        ensure!(stats::plans() == round, "{} plans after {round} graphs in memory of their own", stats::plans());
    }
    ensure!(results.windows(2).all(|w| w[0] == w[1]), "equal graphs in other memory give other results");
    Ok(())
}

/// A graph for each line of the table of fusions, by its name.
fn graph_of(fusion: &str) -> Option<fn(&Make) -> T<'_>> {
    fn weights<'a, const N: usize>(m: &'a Make, rows: [i64; N]) -> [T<'a>; N] {
        let x = m.input(Type::F32, [256, 3, 1, 1]);
        rows.map(|rows| m.mul_mat(m.weight(Type::Q8_0, [256, rows, 1, 1]), x))
    }
    Some(match fusion {
        "add_rms_norm_mul" => |m| {
            let sum = m.add(m.input(Type::F32, [256, 3, 1, 1]), m.input(Type::F32, [256, 3, 1, 1]));
            m.also(sum);
            m.mul(m.rms_norm(sum, 1e-5), m.weight(Type::F32, [256, 1, 1, 1]))
        },
        "rms_norm_mul" => |m| m.mul(m.rms_norm(m.input(Type::F32, [256, 3, 1, 1]), 1e-5), m.weight(Type::F32, [256, 1, 1, 1])),
        "gate_up_glu" => |m| {
            let [gate, up] = weights(m, [96, 96]);
            m.glu_split(gate, up, sys::GGML_GLU_OP_SWIGLU)
        },
        "two_mul_mat" => |m| {
            let [q, k] = weights(m, [96, 32]);
            m.also(q);
            k
        },
        "three_mul_mat" => |m| {
            let [q, k, v] = weights(m, [96, 32, 33]);
            m.also(q);
            m.also(k);
            v
        },
        _ => return None,
    })
}

/// Results of all fusions' graphs, and of one that has several of them.
fn every_fusion() -> Result<Vec<f32>> {
    let on = std::env::var("GGML_WEBGPU_DISABLE").is_err();
    let mut all = Vec::new();
    for fusion in ggml_webgpu::exec::fusion::TABLE {
        let build = graph_of(fusion.name).with_context(|| format!("no graph for the fusion {}", fusion.name))?;
        let before = stats::fused(fusion.name);
        all.extend(values(build)?);
        let fused = stats::fused(fusion.name) - before;
        ensure!(fused == u64::from(on), "{} was fused {fused} times", fusion.name);
    }
    all.extend(values(layers)?);
    Ok(all)
}

/// A graph's results: those that are asked for besides the last, then the last.
fn values(build: fn(&Make) -> T<'_>) -> Result<Vec<f32>> {
    let (make, backend) = (Make::new().context("ggml_init")?, Backend::ours()?);
    let result = build(&make).raw();
    let mut roots = make.also_computed();
    roots.push(result);
    let graph = Graph::new(&backend, &make, &roots)?;
    graph.compute(&backend)?;
    Ok(roots.iter().flat_map(|&r| floats(r)).collect())
}

/// Graphs submitted one behind the other, each on the result of the one before.
fn many_rounds() -> Result<Vec<f32>> {
    let (make, backend) = (Make::new().context("ggml_init")?, Backend::ours()?);
    let x = make.input(Type::F32, [64, 16, 1, 1]);
    let step = make.add_inplace(x, make.rms_norm(make.input(Type::F32, [64, 16, 1, 1]), 1e-5)).raw();
    let graph = Graph::new(&backend, &make, &[step])?;
    for _ in 0..50 {
        // SAFETY: live graph and backend.
        let status = unsafe { sys::ggml_backend_graph_compute_async(backend.raw(), graph.graph) };
        ensure!(status == sys::GGML_STATUS_SUCCESS, "status {status}");
    }
    // SAFETY: a live backend.
    unsafe { sys::ggml_backend_synchronize(backend.raw()) };
    Ok(floats(step))
}

/// Two streams of one device, each in a thread with a graph of its own and new inputs in every round.
fn two_threads() -> Result<()> {
    fn rounds(seed: u64, build: fn(&Make) -> T<'_>) -> Result<Vec<Vec<f32>>> {
        let (make, backend) = (Make::new().context("ggml_init")?, Backend::ours()?);
        let result = build(&make).raw();
        let graph = Graph::new(&backend, &make, &[result])?;
        let (input, _) = make.inputs()[0].clone();
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut all = Vec::new();
        for _ in 0..60 {
            // SAFETY: a live f32 tensor; as many bytes as it has.
            unsafe {
                let bytes: Vec<u8> = (0..sys::ggml_nelements(input)).flat_map(|_| (rng.f32() - 0.5).to_le_bytes()).collect();
                sys::ggml_backend_tensor_set(input, bytes.as_ptr().cast(), 0, bytes.len());
            }
            graph.compute(&backend)?;
            all.push(floats(result));
        }
        Ok(all)
    }
    fn other(m: &Make) -> T<'_> {
        let x = m.input(Type::F32, [96, 40, 2, 1]);
        m.mul(m.mul_mat(m.input(Type::F32, [96, 40, 1, 1]), x), m.rms_norm(m.input(Type::F32, [40, 40, 2, 1]), 1e-5))
    }
    let alone = [rounds(1, layers)?, rounds(2, other)?];
    let together = std::thread::scope(|scope| {
        let threads = [scope.spawn(|| rounds(1, layers)), scope.spawn(|| rounds(2, other))];
        threads.map(|t| t.join().map_err(|_| anyhow::anyhow!("a thread panicked")).and_then(|r| r))
    });
    for (alone, together) in alone.iter().zip(together) {
        ensure!(*alone == together?, "a round differs from the run alone");
    }
    Ok(())
}

fn asynchronous() -> Result<()> {
    let (make, backend) = (Make::new().context("ggml_init")?, Backend::ours()?);
    let (a, b) = (make.input(Type::F32, [33, 1, 1, 1]), make.input(Type::F32, [33, 1, 1, 1]));
    let sum = make.add(a, b).raw();
    let graph = Graph::new(&backend, &make, &[sum])?;
    let values: Vec<f32> = (0..33).map(|i| i as f32).collect();
    let (mut first, mut second) = (vec![0.0_f32; 33], vec![0.0_f32; 31]);
    // SAFETY: live tensors; the ranges lie in them, and the host's memory stays until the synchronisation.
    unsafe {
        sys::ggml_backend_tensor_set_async(backend.raw(), a.raw(), values.as_ptr().cast(), 0, 132);
        sys::ggml_backend_tensor_set_async(backend.raw(), b.raw(), values.as_ptr().cast(), 0, 132);
        sys::ggml_backend_graph_compute_async(backend.raw(), graph.graph);
        sys::ggml_backend_tensor_get_async(backend.raw(), sum, first.as_mut_ptr().cast(), 0, 132);
        sys::ggml_backend_tensor_set_async(backend.raw(), a.raw(), vec![0_u8; 132].as_ptr().cast(), 0, 132);
        sys::ggml_backend_graph_compute_async(backend.raw(), graph.graph);
        sys::ggml_backend_tensor_get_async(backend.raw(), sum, second.as_mut_ptr().cast(), 8, 124);
        sys::ggml_backend_synchronize(backend.raw());
    }
    let doubled: Vec<f32> = values.iter().map(|v| 2.0 * v).collect();
    ensure!(first == doubled, "the first read is {first:?}");
    ensure!(second == values[2..], "the second read is {second:?}");
    ensure!(nmse(&first, &doubled)? == 0.0, "nmse");
    Ok(())
}

fn events() -> Result<()> {
    let (one, two) = (Backend::ours()?, Backend::ours()?);
    let make = Make::new().context("ggml_init")?;
    let result = layers(&make).raw();
    let graph = Graph::new(&one, &make, &[result])?;
    // SAFETY: live backends of one device.
    unsafe {
        let event = sys::ggml_backend_event_new(sys::ggml_backend_get_device(one.raw()));
        ensure!(!event.is_null(), "no event");
        for _ in 0..3 {
            sys::ggml_backend_graph_compute_async(one.raw(), graph.graph);
            sys::ggml_backend_event_record(event, one.raw());
            sys::ggml_backend_event_wait(two.raw(), event);
            sys::ggml_backend_event_synchronize(event);
        }
        sys::ggml_backend_event_free(event);
    }
    Ok(())
}
