//! The one test binary: each module gives its trials. Runs on a real GPU if there is one, else on the software Vulkan driver; without
//! any it fails and says so. `cargo test --release -- ops::mul_mat` runs a part.

mod buffers;
mod child;
mod faults;
mod graph;
mod lesser;
mod life_cycle;
mod model;
mod ops;
mod peers;
mod readme;
mod support;
mod third_party;
mod tidy;

use libtest_mimic::{Arguments, Conclusion};

fn main() -> std::process::ExitCode {
    // SAFETY: no thread has been started yet.
    unsafe {
        if std::env::var_os("GGML_WEBGPU_SOFTWARE").is_none() {
            std::env::set_var("GGML_WEBGPU_SOFTWARE", "1");
        }
        if std::env::var_os("GGML_WEBGPU_VALIDATION").is_none() {
            std::env::set_var("GGML_WEBGPU_VALIDATION", "1");
        }
    }
    let mut arguments = Arguments::from_args();
    // One device serves all tests; more threads than a few only make them wait for each other.
    arguments.test_threads = arguments.test_threads.or(Some(2));
    if !arguments.list && !child::is_child() && support::device().is_none() {
        eprintln!("no adapter that Dawn accepts: install a Vulkan driver (third_party/bootstrap does), then run the tests again");
        return std::process::ExitCode::FAILURE;
    }
    support::log::capture();
    let trials = [
        ops::trials(),
        buffers::trials(),
        graph::trials(),
        faults::trials(),
        lesser::trials(),
        life_cycle::trials(),
        third_party::trials(),
        model::trials(),
        peers::trials(),
        readme::trials(),
        tidy::trials(),
    ]
    .into_iter()
    .flatten()
    .collect();
    let conclusion: Conclusion = libtest_mimic::run(&arguments, trials);
    conclusion.exit_code()
}
