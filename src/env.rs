//! Every environment variable that is read at run time, in one table that the README is made from.

use std::path::PathBuf;
use std::sync::OnceLock;

/// One variable: its name, what it takes, what it does.
#[derive(Debug, Clone, Copy)]
pub struct Variable {
    /// The name, as the shell writes it.
    pub name: &'static str,
    /// What a value looks like.
    pub value: &'static str,
    /// What it does, and what happens without it.
    pub effect: &'static str,
}

/// All variables. The README's table is generated from this one.
pub const TABLE: &[Variable] = &[
    Variable {
        name: "GGML_WEBGPU_SOFTWARE",
        value: "1",
        effect: "also list software adapters (llvmpipe, SwiftShader), last; without it they are left out, since the CPU backend is faster",
    },
    Variable {
        name: "GGML_WEBGPU_EMBEDDINGS",
        value: "1",
        effect: "list an accelerator besides the first device, so that llama.cpp keeps the token embeddings in its memory and looks them up there; for models of which all layers are on the device",
    },
    Variable {
        name: "GGML_WEBGPU_CACHE",
        value: "a folder",
        effect: "where Dawn, models and other downloads are kept, instead of ggml-webgpu in the user's cache folder",
    },
    Variable {
        name: "GGML_WEBGPU_VALIDATION",
        value: "1",
        effect: "turn on Dawn's validation, robust access and workgroup zeroing; slower, for finding faults",
    },
    Variable { name: "GGML_WEBGPU_DEBUG", value: "1", effect: "log each plan that is built and why operations are refused" },
    Variable { name: "GGML_WEBGPU_PROFILE", value: "1", effect: "time every dispatch and log a table when the backend is freed" },
    Variable {
        name: "GGML_WEBGPU_DISABLE",
        value: "list of f16, subgroups, matrix, dot4, immediates, bindings, fusion, plan",
        effect: "hide these capabilities (bindings: those above 128 KiB), to run the paths of lesser devices",
    },
    Variable {
        name: "GGML_WEBGPU_SHADERS",
        value: "a folder",
        effect: "read shaders from this folder instead of those built in, to work on kernels without a build (as long as no `Params` changes)",
    },
    Variable { name: "GGML_WEBGPU_SUBGROUP_SIZE", value: "8, 16, 32 or 64", effect: "use this subgroup size where the device allows it" },
];

/// The settings, read once.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// List software adapters too.
    pub software: bool,
    /// List an accelerator for the embeddings.
    pub embeddings: bool,
    /// Validation and robustness on.
    pub validation: bool,
    /// Log plans and refusals.
    pub debug: bool,
    /// Time each dispatch.
    pub profile: bool,
    /// Capabilities to hide.
    pub disable: Vec<String>,
    /// Folder of shaders to use instead of those built in.
    pub shaders: Option<PathBuf>,
    /// Subgroup size to use where the device can vary it.
    pub subgroup_size: Option<u32>,
}

impl Settings {
    /// Whether a capability is hidden by `GGML_WEBGPU_DISABLE`.
    pub fn disabled(&self, capability: &str) -> bool {
        self.disable.iter().any(|d| d == capability)
    }

    fn read() -> Self {
        let get = |name: &str| std::env::var(name).ok().filter(|v| !v.is_empty());
        let on = |name: &str| get(name).is_some_and(|v| v != "0");
        Self {
            software: on("GGML_WEBGPU_SOFTWARE"),
            embeddings: on("GGML_WEBGPU_EMBEDDINGS"),
            validation: on("GGML_WEBGPU_VALIDATION"),
            debug: on("GGML_WEBGPU_DEBUG"),
            profile: on("GGML_WEBGPU_PROFILE"),
            disable: get("GGML_WEBGPU_DISABLE")
                .map(|v| v.split([',', ' ']).filter(|s| !s.is_empty()).map(str::to_owned).collect())
                .unwrap_or_default(),
            shaders: get("GGML_WEBGPU_SHADERS").map(PathBuf::from),
            subgroup_size: get("GGML_WEBGPU_SUBGROUP_SIZE").and_then(|v| v.parse().ok()),
        }
    }
}

static SETTINGS: OnceLock<Settings> = OnceLock::new();

/// The process's settings. They are read at the first call and do not change after it.
pub fn settings() -> &'static Settings {
    SETTINGS.get_or_init(Settings::read)
}

/// For programs that run one model wholly on whatever device there is: software adapters are listed too, and embeddings are looked
/// up on the device. Only before anything else of this crate is used.
pub fn whole_model() {
    let settings = Settings { software: true, embeddings: true, ..Settings::read() };
    // Settings that were read before stay.
    let _ = SETTINGS.set(settings);
}

/// The folder for Dawn, models and downloads; `None` where the user has no home.
pub fn cache_folder() -> Option<PathBuf> {
    let var = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    var("GGML_WEBGPU_CACHE")
        .or_else(|| var("XDG_CACHE_HOME").map(|c| c.join("ggml-webgpu")))
        .or_else(|| var("HOME").map(|h| h.join(".cache/ggml-webgpu")))
        .or_else(|| var("LOCALAPPDATA").map(|l| l.join("ggml-webgpu")))
}
