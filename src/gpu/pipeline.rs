//! Compute pipelines: text in, a pipeline or the compiler's message out. Compiled on Dawn's worker threads.

use std::sync::Arc;

use anyhow::Result;
use cxx::UniquePtr;

use super::bridge::ffi;
use super::device::{Device, check, ok};
use super::queue;
use crate::error::Error;

/// What to compile.
#[derive(Debug, Clone)]
pub struct Source<'a> {
    /// Shown by debuggers and in errors.
    pub label: &'a str,
    /// WGSL with an entry point `main` and storage bindings 0..`bindings` in group 0.
    pub wgsl: &'a str,
    /// How many bindings.
    pub bindings: u32,
    /// Bit i: binding i is `read`.
    pub read_only: u32,
    /// Bytes of immediates that the kernel declares.
    pub immediate_bytes: u32,
    /// Override constants.
    pub constants: &'a [(&'a str, f64)],
}

/// A compiled kernel.
pub struct Pipeline {
    pub(super) inner: UniquePtr<ffi::Pipeline>,
}

impl std::fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pipeline")
    }
}

/// A kernel that is being compiled.
pub struct Pending {
    inner: UniquePtr<ffi::PendingPipeline>,
    device: Arc<Device>,
    label: String,
}

/// Starts to compile; several at once use several threads.
pub fn compile(device: &Arc<Device>, source: &Source<'_>) -> Result<Pending> {
    device.check_alive()?;
    let constants: Vec<ffi::Constant> =
        source.constants.iter().map(|&(name, value)| ffi::Constant { name: name.to_owned(), value }).collect();
    let mut status = ok();
    let inner = device.inner.create_pipeline(
        source.label,
        source.wgsl,
        source.bindings,
        source.read_only,
        source.immediate_bytes,
        &constants,
        &mut status,
    );
    name(source.label, check(&status, 0))?;
    Ok(Pending { inner, device: Arc::clone(device), label: source.label.to_owned() })
}

impl Pending {
    /// Waits for the result.
    pub fn finish(mut self) -> Result<Pipeline> {
        let mut made = UniquePtr::null();
        let Some(mut pending) = self.inner.as_mut() else {
            return Err(Error::Shader(self.label).into());
        };
        let waited = queue::wait(&self.device, |ns| {
            let mut status = ok();
            made = pending.as_mut().wait(ns, &mut status);
            status
        });
        name(&self.label, waited)?;
        Ok(Pipeline { inner: made })
    }
}

/// Puts the kernel's label before a compiler's message.
fn name(label: &str, result: Result<()>) -> Result<()> {
    result.map_err(|e| match crate::error::cause(&e) {
        Some(Error::Shader(message)) => Error::Shader(format!("{label}: {message}")).into(),
        _ => e,
    })
}
