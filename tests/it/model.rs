//! A real model through `llama-cpp-2`: our device writes what ggml's CPU backend would write, and all of it on the device.

use std::num::NonZeroU32;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use ggml_webgpu::census::Census;
use libtest_mimic::Trial;
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::{KvCacheType, LlamaContextParams};
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;

use crate::child;

pub fn trials() -> Vec<Trial> {
    const ENV: &[(&str, &str)] = &[("GGML_WEBGPU_EMBEDDINGS", "1")];
    vec![
        child::trial("model::64 tokens are the CPU's, all on the device", ENV, || compare(&Setup { cache: None, window: None })),
        child::trial("model::64 tokens with a quantised cache and context shifts, all on the device", ENV, || {
            compare(&Setup { cache: Some((KvCacheType::Q8_0, KvCacheType::Q4_0)), window: Some(32) })
        }),
    ]
}

const TOKENS: usize = 64;
const PROMPT: &str = "The capital of France is a city on the river Seine. It has";
/// How much logits may differ, as normalised mean squared error: test-backend-ops' bound for one MUL_MAT.
const TOLERANCE: f64 = 5e-4;
/// Positions at the start that a context shift keeps, as llama.cpp's programs do for the first tokens.
const KEPT: u32 = 4;

/// How the model's context is set up.
struct Setup {
    /// Types of K and V, if not F16.
    cache: Option<(KvCacheType, KvCacheType)>,
    /// Positions at which half of the context is dropped and the rest shifted.
    window: Option<u32>,
}

/// A token and the logits that it was chosen from.
struct Step {
    token: LlamaToken,
    logits: Vec<f32>,
}

fn default_model() -> Result<PathBuf> {
    let path = ggml_webgpu::env::cache_folder().context("no cache folder")?.join("models/SmolLM2-135M-Instruct.Q4_1.gguf");
    ensure!(path.is_file(), "there is no model at {}; third_party/bootstrap fetches it", path.display());
    Ok(path)
}

/// Drops the older half of the context after the kept positions. Returns the next position.
fn shift(context: &mut LlamaContext, position: u32) -> Result<u32> {
    let dropped = (position - KEPT) / 2;
    context.kv_cache_seq_rm(0, Some(KEPT), Some(KEPT + dropped))?;
    context.kv_cache_seq_add(0, Some(KEPT + dropped), Some(position), -dropped.cast_signed())?;
    Ok(position - dropped)
}

/// Continues the prompt on the devices, or on the CPU where there is none: greedily, or along the tokens of `given`.
fn run(backend: &LlamaBackend, devices: &[usize], setup: &Setup, given: Option<&[Step]>) -> Result<Vec<Step>> {
    let layers = if devices.is_empty() { 0 } else { 999 };
    let params = LlamaModelParams::default().with_n_gpu_layers(layers).with_devices(devices).context("choosing the device")?;
    let model = LlamaModel::load_from_file(backend, default_model()?, &params).context("loading the model")?;
    let mut params = LlamaContextParams::default().with_n_ctx(NonZeroU32::new(256));
    if let Some((k, v)) = setup.cache {
        params = params.with_type_k(k).with_type_v(v);
    }
    let mut context = model.new_context(backend, params).context("making a context")?;
    let prompt = model.vocab().tokenize(PROMPT.as_bytes(), true, false);
    let mut batch = LlamaBatch::new(prompt.len(), 1);
    batch.add_sequence(&prompt, 0, false)?;
    let mut position = u32::try_from(prompt.len())?;
    let mut sampler = LlamaSampler::greedy();
    let mut steps = Vec::new();
    while steps.len() < TOKENS {
        context.decode(&mut batch)?;
        let last = batch.n_tokens() - 1;
        let token = given.map_or_else(|| sampler.sample(&context, last), |steps_given| steps_given[steps.len()].token);
        steps.push(Step { token, logits: context.get_logits_ith(last).to_vec() });
        if setup.window == Some(position) {
            position = shift(&mut context, position)?;
        }
        batch.clear();
        batch.add(token, position.cast_signed(), &[0], true)?;
        position += 1;
    }
    Ok(steps)
}

/// The mean of the squares of `values`.
fn mean_square(values: impl ExactSizeIterator<Item = f32>) -> f64 {
    let count = values.len() as f64;
    values.map(|v| f64::from(v).powi(2)).sum::<f64>() / count
}

/// The CPU has read the same text: `ours` must be the token that it would write, or as good within the tolerance. Whether it is the same.
fn check(ours: &Step, cpu: &Step) -> Result<bool> {
    let best = cpu.logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let gap = f64::from(best - cpu.logits[usize::try_from(ours.token.0)?]);
    // Two logits, each off by what the tolerance allows in the mean.
    let tie = 2.0 * (TOLERANCE * mean_square(cpu.logits.iter().copied())).sqrt();
    ensure!(gap <= tie, "ours is {gap:.3} below the CPU's choice, more than a tie ({tie:.3})");
    Ok(gap == 0.0)
}

fn compare(setup: &Setup) -> Result<()> {
    ggml_webgpu::register();
    let census = Census::take();
    let backend = LlamaBackend::init()?;
    let device =
        llama_cpp_2::list_llama_ggml_backend_devices().into_iter().find(|d| d.name == "WebGPU0").context("WebGPU0 is not listed")?;
    let ours = run(&backend, &[device.index], setup, None)?;
    let (here, elsewhere) = (census.on_device(), census.elsewhere());
    ensure!(here > 0 && elsewhere == 0, "{here} nodes on the device, {elsewhere} elsewhere");
    let cpu = run(&backend, &[], setup, Some(&ours))?;
    // Later steps read a cache in which rounding has its own way on each side; the first has nothing but the prompt.
    let difference = ours[0].logits.iter().zip(&cpu[0].logits).map(|(a, b)| a - b);
    let error = mean_square(difference) / mean_square(cpu[0].logits.iter().copied());
    ensure!(error <= TOLERANCE, "the first logits' normalised mean squared error is {error:.2e}, more than {TOLERANCE:.0e}");
    let mut same = 0;
    for (step, (ours, cpu)) in ours.iter().zip(&cpu).enumerate() {
        same += usize::from(check(ours, cpu).with_context(|| format!("token {step}"))?);
    }
    // More than one tie in 64 tokens would be a fault that hides behind the tolerance.
    ensure!(same + 1 >= TOKENS, "only {same} of {TOKENS} tokens are the CPU's first choice");
    Ok(())
}
