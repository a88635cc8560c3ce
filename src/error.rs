//! The few typed causes of failure that a caller acts on. Sentences around them are `anyhow` context.

use std::fmt;

/// Why something could not be done. The root cause of every error of this crate; `backend::guard` turns it into a
/// `ggml_status`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// This device or this crate cannot compute the node. Never an abort: `supports_op` says no with the same words.
    Unsupported(String),
    /// An allocation failed or is larger than a limit.
    OutOfMemory {
        /// Bytes asked for.
        bytes: u64,
        /// What it was for, or what Dawn said.
        what: String,
    },
    /// The device is gone (driver reset, removed, destroyed). A new backend opens a new device.
    DeviceLost(String),
    /// A shader did not compile: a fault of this crate or of the driver.
    Shader(String),
    /// Any other message of Dawn.
    Dawn(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(why) => write!(f, "{why}"),
            Self::OutOfMemory { bytes, what } => {
                write!(f, "no memory for {bytes} bytes ({:.1} MiB): {what}", *bytes as f64 / (1 << 20) as f64)
            }
            Self::DeviceLost(why) => write!(f, "the device is lost ({why}); free this backend and open a new one"),
            Self::Shader(why) => write!(f, "a shader does not compile: {why}"),
            Self::Dawn(why) => write!(f, "Dawn reports: {why}"),
        }
    }
}

impl std::error::Error for Error {}

/// An [`Error::Unsupported`] with a formatted reason.
#[macro_export]
#[doc(hidden)]
macro_rules! unsupported {
    ($($arg:tt)*) => { return Err($crate::error::Error::Unsupported(format!($($arg)*)).into()) };
}

/// The typed cause at the root of `error`, if there is one.
pub fn cause(error: &anyhow::Error) -> Option<&Error> {
    error.chain().find_map(|e| e.downcast_ref::<Error>())
}
