//! Errors and panics become a status or a default, and one log line.

use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::Result;

use crate::error::{Error, cause};
use crate::ggml::sys;

/// Runs `body`; on an error or a panic logs one line that begins with `what` and gives `otherwise`.
pub fn guard<T>(what: &str, otherwise: T, body: impl FnOnce() -> Result<T>) -> T {
    match attempt(body) {
        Ok(value) => value,
        Err(e) => {
            // A logger that panics must not get further either.
            let _ = catch_unwind(AssertUnwindSafe(|| crate::log!(Error, "{what}: {e:#}")));
            otherwise
        }
    }
}

/// Runs `body` as a computation: its error becomes the status that names the cause.
pub fn status(what: &str, body: impl FnOnce() -> Result<()>) -> sys::ggml_status {
    guard(what, sys::GGML_STATUS_FAILED, || match attempt(body) {
        Ok(()) => Ok(sys::GGML_STATUS_SUCCESS),
        Err(e) if matches!(cause(&e), Some(Error::OutOfMemory { .. })) => {
            crate::log!(Error, "{what}: {e:#}");
            Ok(sys::GGML_STATUS_ALLOC_FAILED)
        }
        Err(e) => Err(e),
    })
}

fn attempt<T>(body: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned()).or_else(|| panic.downcast_ref::<String>().cloned());
        Err(anyhow::anyhow!("a fault in this crate: {}", text.unwrap_or_else(|| "a panic without a message".to_owned())))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_become_statuses_and_panics_do_not_pass() {
        assert_eq!(status("t", || Ok(())), sys::GGML_STATUS_SUCCESS);
        assert_eq!(status("t", || Err(Error::OutOfMemory { bytes: 1, what: String::new() }.into())), sys::GGML_STATUS_ALLOC_FAILED);
        assert_eq!(status("t", || Err(Error::DeviceLost(String::new()).into())), sys::GGML_STATUS_FAILED);
        assert_eq!(status("t", || panic!("{}", 7)), sys::GGML_STATUS_FAILED);
        assert_eq!(guard("t", 3, || panic!("text")), 3);
    }
}
