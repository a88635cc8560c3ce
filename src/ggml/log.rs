//! Logging through ggml's log callback, so that a host sees our lines where it sees ggml's.

use std::sync::{Mutex, PoisonError};

use super::sys;

/// How loud a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Shown only with GGML_WEBGPU_DEBUG.
    Debug,
    /// What a user may want to know.
    Info,
    /// Something is wrong, but works.
    Warn,
    /// Something failed.
    Error,
}

/// Writes one line. A newline is added.
pub fn log(level: Level, text: &str) {
    let mut callback: sys::ggml_log_callback = None;
    let mut data = std::ptr::null_mut();
    // SAFETY: ggml writes its current callback and user data into the two places.
    unsafe { sys::ggml_log_get(&raw mut callback, &raw mut data) };
    let level = match level {
        Level::Debug => sys::GGML_LOG_LEVEL_DEBUG,
        Level::Info => sys::GGML_LOG_LEVEL_INFO,
        Level::Warn => sys::GGML_LOG_LEVEL_WARN,
        Level::Error => sys::GGML_LOG_LEVEL_ERROR,
    };
    let line = format!("ggml_webgpu: {}\n", text.replace('\0', " "));
    if let (Some(callback), Ok(line)) = (callback, std::ffi::CString::new(line)) {
        // SAFETY: the callback is the host's own for this purpose; the string lives through the call.
        unsafe { callback(level, line.as_ptr(), data) };
    }
}

static KEPT: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Keeps ggml's warnings and errors for [`kept`] and drops everything else: for programs that speak for themselves.
pub fn keep_warnings() {
    // SAFETY: a function that lives as long as the process.
    unsafe { sys::ggml_log_set(Some(keep), std::ptr::null_mut()) };
}

/// The warnings and errors since the last call.
pub fn kept() -> Vec<String> {
    std::mem::take(&mut *KEPT.lock().unwrap_or_else(PoisonError::into_inner))
}

unsafe extern "C" fn keep(level: sys::ggml_log_level, text: *const std::ffi::c_char, _data: *mut std::ffi::c_void) {
    if level != sys::GGML_LOG_LEVEL_WARN && level != sys::GGML_LOG_LEVEL_ERROR || text.is_null() {
        return;
    }
    // SAFETY: ggml passes a C string.
    let text = unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy().trim().to_owned();
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).push(text);
}

/// A line with a level: `log!(Warn, "...")`.
#[macro_export]
#[doc(hidden)]
macro_rules! log {
    (Debug, $($arg:tt)*) => {
        if $crate::env::settings().debug {
            $crate::ggml::log::log($crate::ggml::log::Level::Debug, &format!($($arg)*))
        }
    };
    ($level:ident, $($arg:tt)*) => { $crate::ggml::log::log($crate::ggml::log::Level::$level, &format!($($arg)*)) };
}
