//! The one map from variant to pipeline of a device, shared by all its streams.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};

use super::variant::Variant;
use crate::gpu::Device;
use crate::gpu::pipeline::{self, Pipeline, Source};

/// Compiled kernels. Never emptied: a process uses a few hundred at most.
#[derive(Debug, Default)]
pub struct Store {
    map: Mutex<HashMap<Variant, Arc<Pipeline>>>,
}

impl Store {
    /// The pipelines of `variants`, in order. Those that are missing are compiled at once, on several threads.
    pub fn get(&self, device: &Arc<Device>, variants: &[&Variant]) -> Result<Vec<Arc<Pipeline>>> {
        // Held while compiling: two streams that want the same kernel wait for one compilation.
        let mut map = self.map.lock().unwrap_or_else(PoisonError::into_inner);
        let mut pending = HashMap::new();
        for &variant in variants {
            if map.contains_key(variant) || pending.contains_key(variant) {
                continue;
            }
            let label = variant.label();
            let context = || format!("While compiling {label}");
            let wgsl = variant.text().with_context(context)?;
            let source = Source {
                label: &label,
                wgsl: &wgsl,
                bindings: variant.binding_count(),
                read_only: variant.read_only(),
                immediate_bytes: variant.immediate_bytes(),
                constants: &variant.constants(),
            };
            pending.insert(variant, pipeline::compile(device, &source).with_context(context)?);
        }
        for (variant, compiled) in pending {
            let pipeline = compiled.finish().with_context(|| format!("While compiling {}", variant.label()))?;
            map.insert(variant.clone(), Arc::new(pipeline));
        }
        variants.iter().map(|v| map.get(*v).cloned().with_context(|| format!("no pipeline for {}", v.label()))).collect()
    }

    /// How many kernels have been compiled.
    pub fn len(&self) -> usize {
        self.map.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Whether none has.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
