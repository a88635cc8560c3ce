//! Loading, many lives, and leaving: each in a child process that must end with status 0.

use std::ffi::{CStr, CString};
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use ggml_webgpu::ggml::Type;
use ggml_webgpu::ggml::make::Make;
use ggml_webgpu::ggml::sys;
use libtest_mimic::Trial;

use crate::child;
use crate::support::{Backend, Graph, floats};

pub fn trials() -> Vec<Trial> {
    vec![
        child::trial("life cycle::the module by GGML_BACKEND_PATH", &[], by_path),
        child::trial("life cycle::the module twice", &[], twice),
        child::trial("life cycle::a hundred backends", &[], a_hundred),
        child::trial("life cycle::a buffer outlives its backend", &[], buffer_outlives),
        child::trial("life cycle::exit with everything alive", &[], exit_alive),
        child::trial("life cycle::no driver", &[("VK_DRIVER_FILES", "/nonexistent"), ("VK_ICD_FILENAMES", "/nonexistent")], no_driver),
        child::trial("life cycle::software adapters only on request", &[("GGML_WEBGPU_SOFTWARE", "0")], software_on_request),
    ]
}

/// The module that cargo built beside this program.
pub fn module() -> Result<CString> {
    let exe = std::env::current_exe()?;
    let folder = exe.parent().and_then(|p| p.parent()).context("this program lies nowhere")?;
    let name = format!("{}ggml_webgpu{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let path: PathBuf = folder.join(name);
    ensure!(path.is_file(), "there is no module at {}", path.display());
    Ok(CString::new(path.display().to_string())?)
}

fn devices_of(reg: sys::ggml_backend_reg_t) -> usize {
    // SAFETY: a live registry entry.
    unsafe { sys::ggml_backend_reg_dev_count(reg) }
}

fn by_path() -> Result<()> {
    let module = module()?;
    // SAFETY: this child has one thread that reads the environment.
    unsafe { std::env::set_var("GGML_BACKEND_PATH", module.to_str()?) };
    // SAFETY: ggml's own loader.
    let reg = unsafe {
        sys::ggml_backend_load_all();
        sys::ggml_backend_reg_by_name(c"WebGPU".as_ptr())
    };
    ensure!(!reg.is_null(), "ggml has not registered the module");
    ensure!(devices_of(reg) >= 1, "the module has no device");
    // SAFETY: a live entry.
    unsafe {
        ensure!((*reg).api_version == sys::GGML_BACKEND_API_VERSION as i32, "the interface's version is {}", (*reg).api_version);
        let device = sys::ggml_backend_reg_dev_get(reg, 0);
        ensure!(CStr::from_ptr(sys::ggml_backend_dev_name(device)) == c"WebGPU0", "the device's name");
        let backend = sys::ggml_backend_dev_init(device, std::ptr::null());
        ensure!(!backend.is_null(), "no backend");
        sys::ggml_backend_free(backend);
    }
    Ok(())
}

fn twice() -> Result<()> {
    let module = module()?;
    // SAFETY: a C string.
    let (first, second) = unsafe { (sys::ggml_backend_load(module.as_ptr()), sys::ggml_backend_load(module.as_ptr())) };
    ensure!(!first.is_null() && first == second, "two registrations of one module");
    // SAFETY: ggml's registry.
    let named = unsafe {
        (0..sys::ggml_backend_reg_count())
            .filter(|&i| CStr::from_ptr(sys::ggml_backend_reg_name(sys::ggml_backend_reg_get(i))) == c"WebGPU")
            .count()
    };
    ensure!(named == 1, "{named} entries are named WebGPU");
    Ok(())
}

/// Bytes of this process in memory.
fn resident() -> Result<f64> {
    let text = std::fs::read_to_string("/proc/self/statm").context("While reading this process's size")?;
    Ok(text.split_whitespace().nth(1).context("no size")?.parse::<f64>()? * 4096.0)
}

fn one_life() -> Result<()> {
    let backend = Backend::ours()?;
    let make = Make::new().context("ggml_init")?;
    // 64 MiB.
    let a = make.input(Type::F32, [1 << 12, 1 << 12, 1, 1]);
    let small = make.input(Type::F32, [64, 64, 1, 1]);
    let result = make.add(small, small).raw();
    let _ = a;
    let graph = Graph::new(&backend, &make, &[result])?;
    graph.compute(&backend)?;
    ensure!(floats(result).len() == 4096, "a result of another size");
    Ok(())
}

fn a_hundred() -> Result<()> {
    let mut settled = 0.0;
    for round in 0..100 {
        one_life().with_context(|| format!("life {round}"))?;
        if round == 10 {
            settled = resident()?;
        }
    }
    let now = resident()?;
    ensure!(now <= 1.05 * settled, "{:.1} MiB after the last life, {:.1} MiB after the tenth", now / 1e6, settled / 1e6);
    Ok(())
}

fn buffer_outlives() -> Result<()> {
    let backend = Backend::ours()?;
    let make = Make::new().context("ggml_init")?;
    let result = make.add(make.input(Type::F32, [16, 1, 1, 1]), make.input(Type::F32, [16, 1, 1, 1])).raw();
    let graph = Graph::new(&backend, &make, &[result])?;
    graph.compute(&backend)?;
    let before = floats(result);
    drop(backend);
    ensure!(floats(result) == before, "the content went with the backend");
    drop(graph);
    Ok(())
}

fn exit_alive() -> Result<()> {
    let backend = Backend::ours()?;
    let make = Make::new().context("ggml_init")?;
    let result = make.add(make.input(Type::F32, [16, 1, 1, 1]), make.input(Type::F32, [16, 1, 1, 1])).raw();
    let graph = Graph::new(&backend, &make, &[result])?;
    graph.compute(&backend)?;
    std::mem::forget(graph);
    std::mem::forget(backend);
    std::mem::forget(make);
    Ok(())
}

fn no_driver() -> Result<()> {
    let reg = ggml_webgpu::ggml_backend_webgpu_reg();
    ensure!(!reg.is_null() && devices_of(reg) == 0, "devices without a driver");
    ensure!(ggml_webgpu::ggml_backend_score() == 0, "a score without a device");
    ensure!(ggml_webgpu::ggml_backend_webgpu_init().is_null(), "a backend without a device");
    Ok(())
}

fn software_on_request() -> Result<()> {
    use ggml_webgpu::gpu::caps::AdapterKind;
    let hardware =
        ggml_webgpu::gpu::device::adapters().iter().filter(|a| a.caps().kind != AdapterKind::Software && a.caps().unfit.is_none()).count();
    let reg = ggml_webgpu::ggml_backend_webgpu_reg();
    ensure!(devices_of(reg) == hardware, "{} devices for {hardware} adapters that are no software", devices_of(reg));
    Ok(())
}
