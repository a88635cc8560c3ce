//! From a variant (shader, options, bindings) to a pipeline. The variant is the cache key, the label and the only input of
//! the text: what it doesn't hold, the shader can't see.

pub mod generated;
pub mod preprocess;
pub mod store;
pub mod variant;

pub use generated::params;
pub use store::Store;
pub use variant::{Access, Variant, View, Words};
