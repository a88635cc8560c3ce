//! A variant: one shader with its options and the shape of its bindings. At once cache key, label and input of the text.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::generated;
use super::preprocess::{self, Binding, Options};
use crate::gpu::encoder::IMMEDIATE_WORDS;

/// How a kernel uses a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// Only reads, and no output shares the buffer.
    Read,
    /// Writes, or reads from a buffer that is also written.
    ReadWrite,
}

/// Where a tensor lies inside a binding: byte offset and byte strides. `View` of `common/view.wgsl`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct View {
    /// Byte of the first element, from the start of the binding.
    pub offset: u32,
    /// Bytes from one element (or block) to the next, in each dimension.
    pub nb: [u32; 4],
}

/// Parameters as the words that a shader reads.
pub trait Words {
    /// The words, in the order of the struct's fields.
    fn words(&self) -> Vec<u32>;
}

impl Words for View {
    fn words(&self) -> Vec<u32> {
        let [a, b, c, d] = self.nb;
        vec![self.offset, a, b, c, d]
    }
}

/// A shader with everything that decides its text and pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variant {
    shader: &'static str,
    defines: BTreeMap<Cow<'static, str>, Cow<'static, str>>,
    constants: Vec<(&'static str, u32)>,
    bindings: Vec<(&'static str, Access)>,
    aliases: Vec<(&'static str, &'static str)>,
    immediates: bool,
}

impl Variant {
    /// The shader `shaders/<name>.wgsl` without options.
    pub fn new(shader: &'static str) -> Self {
        Self { shader, defines: BTreeMap::new(), constants: Vec::new(), bindings: Vec::new(), aliases: Vec::new(), immediates: false }
    }

    /// Replaces an identifier, and makes it true in `#if`.
    #[must_use]
    pub fn define(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<Cow<'static, str>>) -> Self {
        self.defines.insert(name.into(), value.into());
        self
    }

    /// A number; see [`Variant::define`].
    #[must_use]
    pub fn number(self, name: impl Into<Cow<'static, str>>, value: impl std::fmt::Display) -> Self {
        self.define(name, value.to_string())
    }

    /// A switch that is defined as `1` or not at all.
    #[must_use]
    pub fn flag(self, name: impl Into<Cow<'static, str>>, on: bool) -> Self {
        if on { self.define(name, "1") } else { self }
    }

    /// An `override` constant, set when the pipeline is made.
    #[must_use]
    pub fn constant(mut self, name: &'static str, value: u32) -> Self {
        self.constants.push((name, value));
        self
    }

    /// The value of a define.
    pub fn defined(&self, name: &str) -> Option<&str> {
        self.defines.get(name).map(AsRef::as_ref)
    }

    /// The shader's name.
    pub fn shader(&self) -> &'static str {
        self.shader
    }

    /// What `ops::bind` found: the bindings in order, and names that stand for another binding.
    #[must_use]
    pub fn bound(
        mut self,
        bindings: Vec<(&'static str, Access)>,
        aliases: Vec<(&'static str, &'static str)>,
        immediate_bytes: u32,
    ) -> Self {
        let words = self.param_words();
        self.immediates = words <= IMMEDIATE_WORDS && words * 4 <= immediate_bytes as usize;
        self.bindings = bindings;
        self.aliases = aliases;
        self
    }

    /// Words of parameters.
    pub fn param_words(&self) -> usize {
        generated::param_words(self.shader)
    }

    /// Bytes of immediates; 0 if the parameters come from a buffer.
    pub fn immediate_bytes(&self) -> u32 {
        if self.immediates { 4 * self.param_words() as u32 } else { 0 }
    }

    /// Whether the last binding is the buffer with the parameters.
    pub fn params_in_buffer(&self) -> bool {
        !self.immediates && self.param_words() > 0
    }

    /// Storage bindings, that of the parameters included.
    pub fn binding_count(&self) -> u32 {
        self.bindings.len() as u32 + u32::from(self.params_in_buffer())
    }

    /// Bit i: binding i is `read`.
    pub fn read_only(&self) -> u32 {
        let own = self.bindings.iter().enumerate().filter(|(_, b)| b.1 == Access::Read).fold(0, |m, (i, _)| m | 1 << i);
        own | u32::from(self.params_in_buffer()) << self.bindings.len()
    }

    /// Override constants, for the pipeline.
    pub fn constants(&self) -> Vec<(&'static str, f64)> {
        self.constants.iter().map(|&(n, v)| (n, f64::from(v))).collect()
    }

    /// A short name for logs: shader and options.
    pub fn label(&self) -> String {
        let mut label = self.shader.to_owned();
        for (name, value) in &self.defines {
            label.push(' ');
            label.push_str(name);
            if value != "1" {
                label.push('=');
                label.push_str(value);
            }
        }
        for (name, value) in &self.constants {
            label.push_str(&format!(" {name}={value}"));
        }
        for (name, to) in &self.aliases {
            label.push_str(&format!(" {name}->{to}"));
        }
        label
    }

    /// The WGSL. `F16`, `SUBGROUPS`, `SUBGROUP_SIZE` and `MATRIX` enable the language's extensions of those names.
    pub fn text(&self) -> anyhow::Result<String> {
        let bindings = self
            .bindings
            .iter()
            .map(|&(name, access)| Binding { name, access: if access == Access::Read { "read" } else { "read_write" } })
            .collect();
        let body = preprocess::expand(
            self.shader,
            &Options {
                defines: self.defines.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect(),
                bindings,
                aliases: self.aliases.clone(),
                immediates: self.immediates,
            },
            &|name| generated::source(name),
        )?;
        let enables = [
            ("F16", "f16"),
            ("SUBGROUPS", "subgroups"),
            ("SUBGROUP_SIZE", "subgroup_size_control"),
            ("MATRIX", "chromium_experimental_subgroup_matrix"),
        ]
        .into_iter()
        .filter(|e| self.defined(e.0).is_some())
        .map(|e| format!("enable {};\n", e.1));
        Ok(enables.chain([body]).collect())
    }
}
