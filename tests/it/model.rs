//! A real model through `llama-cpp-2`: our device writes the same tokens as ggml's CPU backend.

use std::num::NonZeroU32;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use ggml_webgpu::census::Census;
use libtest_mimic::Trial;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;

use crate::child;

pub fn trials() -> Vec<Trial> {
    vec![child::trial("model::the first 32 tokens are the CPU's, all on the device", &[("GGML_WEBGPU_EMBEDDINGS", "1")], same_tokens)]
}

const TOKENS: usize = 32;
const PROMPT: &str = "The capital of France is a city on the river Seine. It has";

fn default_model() -> Result<PathBuf> {
    let path = ggml_webgpu::env::cache_folder().context("no cache folder")?.join("models/SmolLM2-135M-Instruct.Q4_1.gguf");
    ensure!(path.is_file(), "there is no model at {}; third_party/bootstrap fetches it", path.display());
    Ok(path)
}

/// Greedy continuation of the prompt with all layers on the devices, or on the CPU.
fn generate(backend: &LlamaBackend, devices: &[usize]) -> Result<Vec<LlamaToken>> {
    let layers = if devices.is_empty() { 0 } else { 999 };
    let params = LlamaModelParams::default().with_n_gpu_layers(layers).with_devices(devices).context("choosing the device")?;
    let model = LlamaModel::load_from_file(backend, default_model()?, &params).context("loading the model")?;
    let params = LlamaContextParams::default().with_n_ctx(NonZeroU32::new(128));
    let mut context = model.new_context(backend, params).context("making a context")?;
    let prompt = model.vocab().tokenize(PROMPT.as_bytes(), true, false);
    let mut batch = LlamaBatch::new(prompt.len(), 1);
    batch.add_sequence(&prompt, 0, false)?;
    let mut sampler = LlamaSampler::greedy();
    let mut tokens = Vec::new();
    while tokens.len() < TOKENS {
        context.decode(&mut batch)?;
        let next = sampler.sample(&context, batch.n_tokens() - 1);
        batch.clear();
        batch.add(next, (prompt.len() + tokens.len()) as i32, &[0], true)?;
        tokens.push(next);
    }
    Ok(tokens)
}

fn same_tokens() -> Result<()> {
    ggml_webgpu::register();
    let census = Census::take();
    let backend = LlamaBackend::init()?;
    let device =
        llama_cpp_2::list_llama_ggml_backend_devices().into_iter().find(|d| d.name == "WebGPU0").context("WebGPU0 is not listed")?;
    let ours = generate(&backend, &[device.index])?;
    let (here, elsewhere) = (census.on_device(), census.elsewhere());
    ensure!(here > 0 && elsewhere == 0, "{here} nodes on the device, {elsewhere} elsewhere");
    let reference = generate(&backend, &[])?;
    ensure!(ours == reference, "ours {ours:?}\nCPU  {reference:?}");
    Ok(())
}
