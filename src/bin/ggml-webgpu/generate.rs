//! `ggml-webgpu generate`: continues a prompt with a GGUF model on our device.

use std::io::Write as _;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use ggml_webgpu::census::Census;
use ggml_webgpu::{env, ggml};
use indicatif::{ProgressBar, ProgressStyle};
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::{LlamaBackendDevice, LlamaBackendDeviceType};

/// Arguments of `generate`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The model, a GGUF file. Default: the one that third_party/bootstrap put into the cache.
    #[arg(short, long)]
    model: Option<PathBuf>,
    /// Tokens to generate at most.
    #[arg(short, default_value_t = 64)]
    n: u32,
    /// The device's name, as `ggml-webgpu devices` lists it. Default: the first.
    #[arg(long)]
    device: Option<String>,
    /// The text to continue.
    prompt: String,
}

/// The name under which bootstrap puts the default model into the cache.
const DEFAULT_MODEL: &str = "models/SmolLM2-135M-Instruct.Q4_1.gguf";

pub fn run(arguments: &Arguments) -> Result<()> {
    let path = match &arguments.model {
        Some(path) => path.clone(),
        None => env::cache_folder().context("there is no home folder for a cache; name a model with -m")?.join(DEFAULT_MODEL),
    };
    if !path.is_file() {
        let hint = if arguments.model.is_none() { "; third_party/bootstrap fetches it" } else { "" };
        bail!("there is no model at {}{hint}", path.display());
    }
    // Both before and after llama.cpp sets its own.
    ggml::log::keep_warnings();
    ggml_webgpu::register();
    let census = Census::take();
    let mut backend = LlamaBackend::init().context("While starting llama.cpp")?;
    backend.void_logs();
    ggml::log::keep_warnings();
    let device = find_device(arguments.device.as_deref())?;
    let model = load(&backend, &path, &device)?;
    let mut tokens = model.vocab().tokenize(arguments.prompt.as_bytes(), model.vocab().should_add_bos(), false);
    if tokens.is_empty() {
        // A context needs something to continue.
        tokens.push(model.vocab().bos());
    }
    let length = tokens.len() as u32 + arguments.n;
    let params = LlamaContextParams::default().with_n_ctx(NonZeroU32::new(length.max(64))).with_n_batch(length.max(512));
    let mut context = model.new_context(&backend, params).context("While making a context (is there memory for it?)")?;
    let times = continue_text(&model, &mut context, &tokens, arguments)?;
    report(&times, &device, &census);
    for line in ggml::log::kept() {
        eprintln!("{line}");
    }
    Ok(())
}

fn find_device(name: Option<&str>) -> Result<LlamaBackendDevice> {
    let ours: Vec<LlamaBackendDevice> = llama_cpp_2::list_llama_ggml_backend_devices()
        .into_iter()
        .filter(|d| d.backend == "WebGPU" && d.device_type != LlamaBackendDeviceType::Accelerator)
        .collect();
    let names: Vec<String> = ours.iter().map(|d| d.name.clone()).collect();
    match name {
        Some(name) => ours.into_iter().find(|d| d.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
            anyhow!(
                "there is no device {name} (there {})",
                if names.is_empty() { "are none".into() } else { format!("is {}", names.join(", ")) }
            )
        }),
        None => {
            ours.into_iter().next().context("there is no device: Dawn found no adapter (third_party/bootstrap installs a software driver)")
        }
    }
}

fn load(backend: &LlamaBackend, path: &Path, device: &LlamaBackendDevice) -> Result<LlamaModel> {
    let bar = ProgressBar::new(1000);
    if let Ok(style) = ProgressStyle::with_template("loading {bar:40} {percent} %") {
        bar.set_style(style);
    }
    let shown = bar.clone();
    let params = LlamaModelParams::default()
        .with_n_gpu_layers(999)
        .with_devices(&[device.index])
        .context("While choosing the device")?
        .with_progress_callback(move |progress| {
            shown.set_position((progress * 1000.0) as u64);
            true
        });
    let model = LlamaModel::load_from_file(backend, path, &params);
    bar.finish_and_clear();
    model.map_err(|e| {
        let why = ggml::log::kept().pop().unwrap_or_else(|| e.to_string());
        anyhow!("{} is not a model that llama.cpp can load ({why})", path.display())
    })
}

/// How long things took.
struct Times {
    prompt: (usize, Duration),
    generated: (usize, Duration),
}

fn continue_text(model: &LlamaModel, context: &mut LlamaContext<'_>, tokens: &[LlamaToken], arguments: &Arguments) -> Result<Times> {
    print!("{}", arguments.prompt);
    std::io::stdout().flush()?;
    let mut sampler = LlamaSampler::greedy();
    let mut batch = LlamaBatch::new(tokens.len().max(1), 1);
    batch.add_sequence(tokens, 0, false).context("While adding the prompt")?;
    let start = Instant::now();
    context.decode(&mut batch).context("While computing the prompt")?;
    let mut next = sampler.sample(context, batch.n_tokens() - 1);
    let prompt = (tokens.len(), start.elapsed());

    let start = Instant::now();
    let mut count = 0;
    let mut text = Vec::new();
    while count < arguments.n as usize && !model.vocab().is_eog(next) {
        text.extend(model.vocab().token_to_piece(next, false, None));
        show(&mut text)?;
        batch.clear();
        batch.add(next, (tokens.len() + count) as i32, &[0], true).context("While adding a token")?;
        context.decode(&mut batch).context("While computing a token")?;
        next = sampler.sample(context, 0);
        count += 1;
    }
    println!();
    Ok(Times { prompt, generated: (count, start.elapsed()) })
}

/// Prints what is whole UTF-8 and keeps the rest for the next piece.
fn show(text: &mut Vec<u8>) -> Result<()> {
    let whole = match std::str::from_utf8(text) {
        Ok(all) => all.len(),
        Err(e) if e.error_len().is_none() => e.valid_up_to(),
        Err(_) => text.len(),
    };
    print!("{}", String::from_utf8_lossy(&text[..whole]));
    text.drain(..whole);
    std::io::stdout().flush()?;
    Ok(())
}

fn report(times: &Times, device: &LlamaBackendDevice, census: &Census) {
    let rate = |(n, time): (usize, Duration)| n as f64 / time.as_secs_f64().max(1e-9);
    eprintln!();
    eprintln!("device      {} ({})", device.name, device.description);
    eprintln!("prompt      {} tokens, {:.1} tokens/s", times.prompt.0, rate(times.prompt));
    eprintln!("generation  {} tokens, {:.1} tokens/s", times.generated.0, rate(times.generated));
    eprintln!("graph nodes {} on the device, {} elsewhere", census.on_device(), census.elsewhere());
}
