//! Byte-exact access to buffers, against a model on the host.

use anyhow::{Context, Result, ensure};
use ggml_webgpu::ggml::Type;
use ggml_webgpu::ggml::make::Make;
use ggml_webgpu::ggml::sys;
use libtest_mimic::{Failed, Trial};

use crate::support::Backend;

fn trial(name: &str, test: fn() -> Result<()>) -> Trial {
    Trial::test(format!("buffers::{name}"), move || test().map_err(|e| Failed::from(format!("{e:#}"))))
}

pub fn trials() -> Vec<Trial> {
    vec![
        trial("every offset and size", every_offset_and_size),
        trial("fills", fills),
        trial("two-dimensional access", two_dimensional),
        trial("copies within the device", copies),
        trial("threads write neighbouring bytes", threads),
        trial("too large an allocation gives NULL", too_large),
    ]
}

/// A byte tensor in a buffer of its own, with a host copy of what should be in it.
struct Bytes {
    make: Make,
    tensor: *mut sys::ggml_tensor,
    buffer: sys::ggml_backend_buffer_t,
    model: Vec<u8>,
    _backend: Backend,
}

// SAFETY: ggml's tensor functions may be called from several threads for one buffer.
unsafe impl Sync for Bytes {}

impl Bytes {
    fn new(size: i64) -> Result<Self> {
        let backend = Backend::ours()?;
        let make = Make::new().context("ggml_init")?;
        let tensor = make.input(Type::I8, [size, 1, 1, 1]).raw();
        // SAFETY: live context and backend.
        let buffer = unsafe { sys::ggml_backend_alloc_ctx_tensors(make.context(), backend.raw()) };
        ensure!(!buffer.is_null(), "no buffer");
        let model: Vec<u8> = (0..size).map(|i| (i * 37 + 11) as u8).collect();
        // SAFETY: as many bytes as the tensor has.
        unsafe { sys::ggml_backend_tensor_set(tensor, model.as_ptr().cast(), 0, model.len()) };
        Ok(Self { make, tensor, buffer, model, _backend: backend })
    }

    fn get(&self, offset: usize, size: usize) -> Vec<u8> {
        let mut bytes = vec![0xa5; size + 2];
        // SAFETY: the range lies in the tensor, one guard byte on each side.
        unsafe { sys::ggml_backend_tensor_get(self.tensor, bytes.as_mut_ptr().add(1).cast(), offset, size) };
        assert!(bytes[0] == 0xa5 && bytes[size + 1] == 0xa5, "a byte outside of the destination has changed");
        bytes[1..=size].to_vec()
    }

    fn set(&self, bytes: &[u8], offset: usize) {
        // SAFETY: the range lies in the tensor.
        unsafe { sys::ggml_backend_tensor_set(self.tensor, bytes.as_ptr().cast(), offset, bytes.len()) };
    }

    fn check(&self) -> Result<()> {
        let all = self.get(0, self.model.len());
        let wrong = all.iter().zip(&self.model).position(|(a, b)| a != b);
        ensure!(wrong.is_none(), "byte {wrong:?} differs");
        Ok(())
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        // SAFETY: live, freed once.
        unsafe { sys::ggml_backend_buffer_free(self.buffer) };
        let _ = &self.make;
    }
}

fn every_offset_and_size() -> Result<()> {
    let mut b = Bytes::new(61)?;
    for offset in 0..9 {
        for size in 0..=(61 - offset).min(19) {
            ensure!(b.get(offset, size) == b.model[offset..offset + size], "read of {size} at {offset}");
            let fresh: Vec<u8> = (0..size).map(|i| (offset * 31 + size * 7 + i + 1) as u8).collect();
            b.set(&fresh, offset);
            b.model[offset..offset + size].copy_from_slice(&fresh);
        }
        b.check().with_context(|| format!("after writes at {offset}"))?;
    }
    // The last bytes.
    for size in 1..=5 {
        ensure!(b.get(61 - size, size) == b.model[61 - size..], "the last {size}");
        let fresh = vec![size as u8; size];
        b.set(&fresh, 61 - size);
        b.model[61 - size..].copy_from_slice(&fresh);
    }
    b.check()
}

fn fills() -> Result<()> {
    let mut b = Bytes::new(1031)?;
    for (value, offset, size) in
        [(0, 3, 700), (7, 1, 1), (255, 2, 1), (9, 5, 2), (1, 6, 3), (0, 7, 5), (200, 100, 901), (0, 1030, 1), (3, 0, 1031)]
    {
        // SAFETY: the range lies in the tensor.
        unsafe { sys::ggml_backend_tensor_memset(b.tensor, value, offset, size) };
        b.model[offset..offset + size].fill(value);
        b.check().with_context(|| format!("after {size} times {value} at {offset}"))?;
    }
    for value in [0, 90] {
        // SAFETY: a live buffer.
        unsafe { sys::ggml_backend_buffer_clear(b.buffer, value) };
        b.model.fill(value);
        b.check().with_context(|| format!("after a clear to {value}"))?;
    }
    Ok(())
}

fn two_dimensional() -> Result<()> {
    let mut b = Bytes::new(600)?;
    let data: Vec<u8> = (0..77).collect();
    // SAFETY: 5 rows of 7 bytes, 11 apart in the data and 101 in the tensor.
    unsafe { sys::ggml_backend_tensor_set_2d(b.tensor, data.as_ptr().cast(), 3, 7, 5, 101, 11) };
    for row in 0..5 {
        b.model[3 + row * 101..][..7].copy_from_slice(&data[row * 11..][..7]);
    }
    b.check()?;
    for stride in [101, 9] {
        let mut rows = vec![0_u8; 5 * 13];
        // SAFETY: 5 rows of 7 bytes, 13 apart in the result.
        unsafe { sys::ggml_backend_tensor_get_2d(b.tensor, rows.as_mut_ptr().cast(), 3, 7, 5, stride, 13) };
        for row in 0..5 {
            ensure!(rows[row * 13..][..7] == b.model[3 + row * stride..][..7], "row {row}, stride {stride}");
        }
    }
    Ok(())
}

fn copies() -> Result<()> {
    let a = Bytes::new(4096)?;
    let mut b = Bytes::new(4096)?;
    b.set(&[0; 4096], 0);
    // SAFETY: live tensors of one shape.
    unsafe { sys::ggml_backend_tensor_copy(a.tensor, b.tensor) };
    b.model.clone_from(&a.model);
    b.check()
}

fn threads() -> Result<()> {
    const THREADS: usize = 4;
    let mut b = Bytes::new(257)?;
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let b = &b;
            scope.spawn(move || {
                for i in (thread..257).step_by(THREADS) {
                    b.set(&[(i * 5 + 1) as u8], i);
                    assert_eq!(b.get(i, 1), [(i * 5 + 1) as u8]);
                }
            });
        }
    });
    for i in 0..257 {
        b.model[i] = (i * 5 + 1) as u8;
    }
    b.check()
}

fn too_large() -> Result<()> {
    let backend = Backend::ours()?;
    for size in [1_usize << 46, 1 << 40] {
        // SAFETY: a live backend.
        let buffer = unsafe { sys::ggml_backend_alloc_buffer(backend.raw(), size) };
        ensure!(buffer.is_null(), "{size} bytes were given");
    }
    Bytes::new(1 << 20)?.check()
}
