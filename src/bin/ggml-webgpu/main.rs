//! The command-line program: lists devices, runs models.

mod devices;
mod generate;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// ggml's WebGPU backend: what it finds here, and models run on it.
#[derive(Parser)]
#[command(version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Lists the adapters that Dawn finds, and what each can do.
    Devices,
    /// Continues a prompt with a model, wholly on a device.
    Generate(generate::Arguments),
}

fn main() -> ExitCode {
    // A program that was asked to show devices or to run a model takes what there is: a software adapter too.
    ggml_webgpu::env::whole_model();
    let done = match Arguments::parse().command {
        Command::Devices => devices::run(),
        Command::Generate(arguments) => generate::run(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("ggml-webgpu: {}", format!("{e:#}").replace('\n', " "));
            ExitCode::from(2)
        }
    }
}
