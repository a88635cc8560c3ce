//! The one cxx bridge to Dawn; the only file that names C++. `gpu/` wraps what is here, nothing else sees it.
//!
//! Every fallible call fills a [`ffi::Status`]; none throws. Callbacks of Dawn stay in C++ and write down what happened.

// cxx generates the `unsafe` that a foreign call needs.
#![allow(unsafe_code, reason = "the bridge to C++")]
#![allow(clippy::too_many_arguments, reason = "descriptors cross as plain arguments")]

#[cxx::bridge(namespace = "gw")]
#[allow(missing_docs, reason = "the fields carry WebGPU's own names")]
pub(crate) mod ffi {
    /// What kind of failure a [`Status`] reports.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[repr(u8)]
    enum Code {
        Ok,
        /// Not ready within the time given.
        Timeout,
        OutOfMemory,
        Lost,
        Shader,
        /// Refused by Dawn's validation, or anything else.
        Invalid,
    }

    #[derive(Debug, Clone)]
    struct Status {
        code: Code,
        message: String,
    }

    #[derive(Debug, Clone, Copy)]
    struct Heap {
        size: u64,
        device_local: bool,
    }

    /// One shape of subgroup matrix; component types as Dawn numbers them.
    #[derive(Debug, Clone, Copy)]
    struct Matrix {
        component: u32,
        result: u32,
        m: u32,
        n: u32,
        k: u32,
    }

    #[derive(Debug, Clone)]
    struct AdapterFacts {
        vendor: String,
        architecture: String,
        device: String,
        description: String,
        backend: u32,
        adapter_type: u32,
        vendor_id: u32,
        device_id: u32,
        subgroup_min: u32,
        subgroup_max: u32,
        heaps: Vec<Heap>,
        matrices: Vec<Matrix>,
        f16: bool,
        subgroups: bool,
        subgroup_size_control: bool,
        subgroup_matrix: bool,
        timestamps: bool,
        implicit_sync: bool,
        max_buffer: u64,
        max_binding: u64,
        min_offset_alignment: u32,
        max_workgroups: u32,
        max_invocations: u32,
        max_workgroup_x: u32,
        max_workgroup_memory: u32,
        max_storage_buffers: u32,
        max_immediate_bytes: u32,
    }

    #[derive(Debug, Clone)]
    struct DeviceOptions {
        label: String,
        enable: Vec<String>,
        disable: Vec<String>,
        f16: bool,
        subgroups: bool,
        subgroup_size_control: bool,
        subgroup_matrix: bool,
        timestamps: bool,
    }

    /// An override constant of a pipeline.
    #[derive(Debug, Clone)]
    struct Constant {
        name: String,
        value: f64,
    }

    /// One dispatch of a recording: indices into it, parameters, grid.
    #[derive(Debug, Clone, Copy)]
    struct Dispatch {
        pipeline: u32,
        group: u32,
        immediate_words: u32,
        x: u32,
        y: u32,
        z: u32,
        immediates: [u32; 16],
    }

    unsafe extern "C++" {
        include!("bridge.h");

        type Instance;
        type Adapter;
        type Device;
        type Buffer;
        type Pipeline;
        type PendingPipeline;
        type Recording;
        type Fence;
        type Mapping;
        type Timestamps;

        fn new_instance() -> UniquePtr<Instance>;
        fn backend_name(backend: u32) -> String;
        fn adapter_count(self: &Instance) -> usize;
        fn adapter(self: &Instance, index: usize) -> UniquePtr<Adapter>;
        fn words(self: &Instance) -> Vec<String>;
        fn has_byte_dot_products(self: &Instance) -> bool;
        fn has_immediates(self: &Instance) -> bool;

        fn facts(self: &Adapter) -> AdapterFacts;
        fn open(self: &Adapter, options: &DeviceOptions, status: &mut Status) -> UniquePtr<Device>;

        fn lost(self: &Device) -> bool;
        fn lost_reason(self: &Device) -> String;
        fn error_count(self: &Device) -> u64;
        fn last_error(self: &Device) -> String;
        fn inject_loss(self: &Device, reason: &str);
        fn toggles(self: &Device) -> Vec<String>;
        fn create_buffer(self: &Device, size: u64, usage: u64, label: &str, status: &mut Status) -> UniquePtr<Buffer>;
        fn write_buffer(self: &Device, buffer: &Buffer, offset: u64, bytes: &[u8]);
        fn copy_buffer(self: &Device, src: &Buffer, src_offset: u64, dst: &Buffer, dst_offset: u64, size: u64);
        fn clear_buffer(self: &Device, buffer: &Buffer, offset: u64, size: u64);
        fn map_read(self: &Device, buffer: &Buffer, offset: u64, size: u64) -> UniquePtr<Mapping>;
        fn submitted_work_done(self: &Device) -> UniquePtr<Fence>;
        fn create_pipeline(
            self: &Device,
            label: &str,
            wgsl: &str,
            bindings: u32,
            read_only: u32,
            immediate_bytes: u32,
            constants: &[Constant],
            status: &mut Status,
        ) -> UniquePtr<PendingPipeline>;
        fn create_recording(self: &Device) -> UniquePtr<Recording>;
        fn create_timestamps(self: &Device, count: u32, status: &mut Status) -> UniquePtr<Timestamps>;
        fn submit(self: &Device, recording: &Recording, dispatches: &[Dispatch]);
        fn submit_timed(self: &Device, recording: &Recording, dispatches: &[Dispatch], timestamps: &Timestamps);

        fn wait(self: Pin<&mut PendingPipeline>, timeout_ns: u64, status: &mut Status) -> UniquePtr<Pipeline>;

        fn add_pipeline(self: Pin<&mut Recording>, pipeline: &Pipeline) -> u32;
        fn bind(self: Pin<&mut Recording>, buffer: &Buffer, offset: u64, size: u64);
        fn add_bind_group(self: Pin<&mut Recording>, device: &Device, pipeline: u32) -> u32;

        #[cxx_name = "wait"]
        fn wait_fence(self: &Fence, timeout_ns: u64) -> Status;
        #[cxx_name = "wait"]
        fn wait_mapping(self: &Mapping, timeout_ns: u64) -> Status;
        fn bytes(self: &Mapping) -> &[u8];

        fn readback(self: &Timestamps) -> UniquePtr<Buffer>;
    }
}

// SAFETY: Dawn's devices are opened with implicit device synchronization, so its objects may be used and released from
// any thread; the C++ owners above add only immutable handles, atomics and state behind mutexes. `Recording` is not `Sync`:
// it is filled through `Pin<&mut>` and afterwards only read.
unsafe impl Send for ffi::Instance {}
// SAFETY: as above.
unsafe impl Sync for ffi::Instance {}
// SAFETY: as above.
unsafe impl Send for ffi::Adapter {}
// SAFETY: as above.
unsafe impl Sync for ffi::Adapter {}
// SAFETY: as above.
unsafe impl Send for ffi::Device {}
// SAFETY: as above.
unsafe impl Sync for ffi::Device {}
// SAFETY: as above.
unsafe impl Send for ffi::Buffer {}
// SAFETY: as above.
unsafe impl Sync for ffi::Buffer {}
// SAFETY: as above.
unsafe impl Send for ffi::Pipeline {}
// SAFETY: as above.
unsafe impl Sync for ffi::Pipeline {}
// SAFETY: as above.
unsafe impl Send for ffi::PendingPipeline {}
// SAFETY: as above.
unsafe impl Send for ffi::Recording {}
// SAFETY: as above.
unsafe impl Sync for ffi::Recording {}
// SAFETY: as above; the callback writes its state before the wait that reads it returns.
unsafe impl Send for ffi::Fence {}
// SAFETY: as above.
unsafe impl Send for ffi::Mapping {}
// SAFETY: as above.
unsafe impl Send for ffi::Timestamps {}
