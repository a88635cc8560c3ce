//! Every case of every room against ggml's CPU backend.

use ggml_webgpu::ops;
use libtest_mimic::{Failed, Trial};

use crate::support;

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for line in ops::rooms() {
        for case in line.room.cases() {
            let name = format!("ops::{}: {}", line.name, case.name);
            trials.push(Trial::test(name, move || support::check(&case).map_err(|e| Failed::from(format!("{e:#}")))));
        }
    }
    trials
}
