//! Runs graphs on our backend and on ggml's CPU backend, and compares.

use std::ffi::c_void;
use std::ptr::NonNull;

use anyhow::{Context, Result, bail, ensure};
use ggml_webgpu::ggml::make::{Fill, Make};
use ggml_webgpu::ggml::sys;
use ggml_webgpu::ops::Case;

/// Our first device, if there is one.
pub fn device() -> Option<NonNull<sys::ggml_backend_device>> {
    let reg = ggml_webgpu::ggml_backend_webgpu_reg();
    if reg.is_null() {
        return None;
    }
    // SAFETY: our own registry entry.
    unsafe { if sys::ggml_backend_reg_dev_count(reg) == 0 { None } else { NonNull::new(sys::ggml_backend_reg_dev_get(reg, 0)) } }
}

/// What was logged on this thread, so that a failed test can tell it.
pub mod log {
    use std::cell::RefCell;
    use std::ffi::{CStr, c_char, c_void};

    use ggml_webgpu::ggml::sys;

    thread_local!(static LINES: RefCell<String> = const { RefCell::new(String::new()) });

    unsafe extern "C" fn keep(_level: sys::ggml_log_level, text: *const c_char, _data: *mut c_void) {
        // SAFETY: ggml passes a C string.
        let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
        LINES.with_borrow_mut(|lines| lines.push_str(&text));
    }

    /// Sends ggml's log here.
    pub fn capture() {
        // SAFETY: a function that lives as long as the process.
        unsafe { sys::ggml_log_set(Some(keep), std::ptr::null_mut()) };
    }

    /// The lines since the last call.
    pub fn take() -> String {
        LINES.take()
    }
}

/// A backend, freed when dropped.
pub struct Backend(sys::ggml_backend_t);

impl Backend {
    /// Ours, on the first device.
    pub fn ours() -> Result<Self> {
        Self::on(device().context("there is no device")?.as_ptr())
    }

    /// On this device.
    pub fn on(device: sys::ggml_backend_dev_t) -> Result<Self> {
        // SAFETY: a live device.
        let backend = unsafe { sys::ggml_backend_dev_init(device, std::ptr::null()) };
        ensure!(!backend.is_null(), "ggml_backend_dev_init gave no backend: {}", log::take());
        Ok(Self(backend))
    }

    /// ggml's CPU backend.
    pub fn cpu() -> Result<Self> {
        // SAFETY: no arguments.
        let backend = unsafe { sys::ggml_backend_cpu_init() };
        ensure!(!backend.is_null(), "ggml_backend_cpu_init gave no backend");
        Ok(Self(backend))
    }

    pub fn raw(&self) -> sys::ggml_backend_t {
        self.0
    }
}

impl Drop for Backend {
    fn drop(&mut self) {
        // SAFETY: live, freed once.
        unsafe { sys::ggml_backend_free(self.0) };
    }
}

/// A graph with memory on a backend.
pub struct Graph<'a> {
    _make: &'a Make,
    pub graph: *mut sys::ggml_cgraph,
    buffers: Vec<sys::ggml_backend_buffer_t>,
}

impl<'a> Graph<'a> {
    /// Allocates all tensors of `make`, fills the inputs, and makes the graph that computes `roots` in order.
    pub fn new(backend: &Backend, make: &'a Make, roots: &[*mut sys::ggml_tensor]) -> Result<Self> {
        // SAFETY: live context, tensors and backend.
        let graph = unsafe {
            let graph = sys::ggml_new_graph_custom(make.context(), 512, false);
            for &root in roots {
                sys::ggml_build_forward_expand(graph, root);
            }
            graph
        };
        let mut graph = Self { _make: make, graph, buffers: Vec::new() };
        // Weights first: views of them lie in the other context.
        for context in [make.weights(), make.context()] {
            // SAFETY: live contexts and backend; a context may be empty.
            unsafe {
                if !sys::ggml_get_first_tensor(context).is_null() {
                    let buffer = sys::ggml_backend_alloc_ctx_tensors(context, backend.raw());
                    ensure!(!buffer.is_null(), "no memory for the tensors: {}", log::take());
                    graph.buffers.push(buffer);
                }
            }
        }
        for (i, (tensor, fill)) in make.inputs().into_iter().enumerate() {
            let bytes = content(tensor, &fill, i as u64)?;
            // SAFETY: the bytes are as many as the tensor has.
            unsafe { sys::ggml_backend_tensor_set(tensor, bytes.as_ptr().cast(), 0, bytes.len()) };
        }
        Ok(graph)
    }

    pub fn compute(&self, backend: &Backend) -> Result<()> {
        // SAFETY: live graph and backend.
        let status = unsafe { sys::ggml_backend_graph_compute(backend.raw(), self.graph) };
        ensure!(status == sys::GGML_STATUS_SUCCESS, "graph_compute gave status {status}: {}", log::take());
        Ok(())
    }
}

impl Drop for Graph<'_> {
    fn drop(&mut self) {
        for &buffer in &self.buffers {
            // SAFETY: live, freed once.
            unsafe { sys::ggml_backend_buffer_free(buffer) };
        }
    }
}

/// The bytes of an input, the same for the same seed.
fn content(tensor: *mut sys::ggml_tensor, fill: &Fill, seed: u64) -> Result<Vec<u8>> {
    // SAFETY: a live tensor.
    let t = unsafe { &*tensor };
    let n = t.ne.iter().product::<i64>() as usize;
    let mut rng = fastrand::Rng::with_seed(seed + 7);
    let floats: Vec<f32> = match fill {
        Fill::Uniform(low, high) => (0..n).map(|_| low + (high - low) * rng.f32()).collect(),
        Fill::Values(values) => values.iter().copied().cycle().take(n).collect(),
        Fill::Ints(values) => return integers(t.type_, values.iter().copied().cycle().take(n)),
        Fill::Distinct(bound) => {
            let row = t.ne[0].max(1) as usize;
            let mut all = Vec::with_capacity(n);
            while all.len() < n {
                let mut numbers: Vec<i64> = (0..*bound).collect();
                rng.shuffle(&mut numbers);
                ensure!(numbers.len() >= row, "{row} distinct numbers below {bound}");
                all.extend(&numbers[..row]);
            }
            return integers(t.type_, all.into_iter());
        }
        Fill::Mask => (0..n).map(|i| if i % t.ne[0] as usize != 0 && rng.bool() { f32::NEG_INFINITY } else { 0.0 }).collect(),
    };
    if matches!(t.type_, sys::GGML_TYPE_I8 | sys::GGML_TYPE_I16 | sys::GGML_TYPE_I32 | sys::GGML_TYPE_I64) {
        return integers(t.type_, floats.iter().map(|f| (f * 100.0) as i64));
    }
    // SAFETY: sizes as ggml gives them.
    unsafe {
        let mut bytes = vec![0_u8; sys::ggml_nbytes(tensor)];
        let row = t.ne[0] as usize;
        let ones = vec![1.0_f32; row];
        match t.type_ {
            sys::GGML_TYPE_F32 => bytes = floats.iter().flat_map(|f| f.to_le_bytes()).collect(),
            sys::GGML_TYPE_F16 => sys::ggml_fp32_to_fp16_row(floats.as_ptr(), bytes.as_mut_ptr().cast(), n as i64),
            sys::GGML_TYPE_BF16 => sys::ggml_fp32_to_bf16_row(floats.as_ptr(), bytes.as_mut_ptr().cast(), n as i64),
            ty => {
                let rows = (n / row) as i64;
                sys::ggml_quantize_chunk(ty, floats.as_ptr(), bytes.as_mut_ptr().cast(), 0, rows, row as i64, ones.as_ptr());
            }
        }
        Ok(bytes)
    }
}

fn integers(ty: sys::ggml_type, values: impl Iterator<Item = i64>) -> Result<Vec<u8>> {
    Ok(match ty {
        sys::GGML_TYPE_I8 => values.map(|v| v as u8).collect(),
        sys::GGML_TYPE_I16 => values.flat_map(|v| (v as i16).to_le_bytes()).collect(),
        sys::GGML_TYPE_I32 => values.flat_map(|v| (v as i32).to_le_bytes()).collect(),
        sys::GGML_TYPE_I64 => values.flat_map(i64::to_le_bytes).collect(),
        ty => bail!("integers for the type {ty}"),
    })
}

/// A tensor's values as floats.
pub fn floats(tensor: *const sys::ggml_tensor) -> Vec<f32> {
    // SAFETY: a live tensor with memory; strided tensors are read with what lies between their elements.
    unsafe {
        let t = &*tensor;
        let mut bytes = vec![0_u8; sys::ggml_nbytes(tensor)];
        sys::ggml_backend_tensor_get(tensor, bytes.as_mut_ptr().cast::<c_void>(), 0, bytes.len());
        let (block, mut out) = (sys::ggml_blck_size(t.type_), Vec::new());
        let to_float = (*sys::ggml_get_type_traits(t.type_)).to_float;
        for i3 in 0..t.ne[3] as usize {
            for i2 in 0..t.ne[2] as usize {
                for i1 in 0..t.ne[1] as usize {
                    let row = i1 * t.nb[1] + i2 * t.nb[2] + i3 * t.nb[3];
                    for i0 in 0..(t.ne[0] / block) as usize {
                        let at = &bytes[row + i0 * t.nb[0]..];
                        match t.type_ {
                            sys::GGML_TYPE_F32 => out.push(f32::from_le_bytes([at[0], at[1], at[2], at[3]])),
                            sys::GGML_TYPE_I32 => out.push(i32::from_le_bytes([at[0], at[1], at[2], at[3]]) as f32),
                            sys::GGML_TYPE_I64 => out.push(i32::from_le_bytes([at[0], at[1], at[2], at[3]]) as f32),
                            sys::GGML_TYPE_I16 => out.push(f32::from(i16::from_le_bytes([at[0], at[1]]))),
                            sys::GGML_TYPE_I8 => out.push(f32::from(at[0] as i8)),
                            _ => {
                                let mut values = vec![0.0_f32; block as usize];
                                if let Some(to_float) = to_float {
                                    to_float(at.as_ptr().cast(), values.as_mut_ptr(), block);
                                }
                                out.extend(values);
                            }
                        }
                    }
                }
            }
        }
        out
    }
}

/// Normalised mean square error, as test-backend-ops computes it. Infinities and NaN must be in the same places.
pub fn nmse(ours: &[f32], reference: &[f32]) -> Result<f64> {
    ensure!(ours.len() == reference.len(), "{} values against {}", ours.len(), reference.len());
    let (mut error, mut norm) = (0.0_f64, 0.0_f64);
    for (i, (&a, &b)) in ours.iter().zip(reference).enumerate() {
        if a.is_nan() || b.is_nan() || a.is_infinite() || b.is_infinite() {
            ensure!(a == b || a.is_nan() && b.is_nan(), "value {i} is {a} ({b} on the CPU)");
            continue;
        }
        error += (f64::from(a) - f64::from(b)).powi(2);
        norm += f64::from(b).powi(2);
    }
    Ok(if error == 0.0 { 0.0 } else { error / norm.max(f64::MIN_POSITIVE) })
}

/// Computes a case on a backend: the values of its result and of everything else that it asks for.
fn compute(case: &Case, backend: &Backend, device: Option<sys::ggml_backend_dev_t>) -> Result<Vec<Vec<f32>>> {
    let make = Make::new().context("ggml_init")?;
    let result = (case.build)(&make).raw();
    let mut roots = make.also_computed();
    roots.push(result);
    let graph = Graph::new(backend, &make, &roots)?;
    if let Some(device) = device {
        // SAFETY: live graph, nodes and device.
        unsafe {
            for i in 0..sys::ggml_graph_n_nodes(graph.graph) {
                let node = sys::ggml_graph_node(graph.graph, i);
                let op = ggml_webgpu::ggml::tensor::op_name((*node).op);
                ensure!(sys::ggml_backend_dev_supports_op(device, node), "{op} is refused");
            }
        }
    }
    graph.compute(backend)?;
    log::take();
    Ok(roots.iter().map(|&r| floats(r)).collect())
}

/// Runs a case on both backends and compares, twice on ours: the second time replays the plan.
pub fn check(case: &Case) -> Result<()> {
    let device = device().context("there is no device")?;
    let reference = compute(case, &Backend::cpu()?, None)?;
    let backend = Backend::ours()?;
    let ours = compute(case, &backend, Some(device.as_ptr()))?;
    for (i, (ours, reference)) in ours.iter().zip(&reference).enumerate() {
        let error = nmse(ours, reference).with_context(|| format!("result {i}"))?;
        ensure!(error <= case.tolerance, "result {i}: normalised mean square error {error:.3e} (the limit is {:.0e})", case.tolerance);
    }
    Ok(())
}
