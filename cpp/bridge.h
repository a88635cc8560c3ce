// What Rust may call: thin owners of Dawn objects. Knows nothing of ggml. The only header that the bridge names.
#pragma once

#include <webgpu/webgpu_cpp.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "rust/cxx.h"

namespace gw {

struct Status;
struct AdapterFacts;
struct DeviceOptions;
struct Dispatch;
struct Constant;

// What the device's callbacks wrote down. Callbacks never leave C++: Rust asks.
struct Incidents {
    std::mutex mutex;
    std::atomic<bool> lost{false};
    std::atomic<std::uint64_t> errors{0};
    std::string lost_reason;
    std::string last_error;
};

class Buffer;
class Pipeline;
class PendingPipeline;
class Recording;
class Fence;
class Mapping;
class Device;
class Timestamps;
class Words;

class Adapter {
  public:
    explicit Adapter(wgpu::Instance instance, wgpu::Adapter adapter) : instance_(std::move(instance)), adapter_(std::move(adapter)) {}
    AdapterFacts facts() const;
    std::unique_ptr<Device> open(const DeviceOptions& options, Status& status) const;

  private:
    wgpu::Instance instance_;
    wgpu::Adapter adapter_;
};

class Instance {
  public:
    Instance();
    ~Instance();
    // 0 where Dawn could not make an instance or found no adapter.
    std::size_t adapter_count() const { return count_; }
    // A fresh one each time: an adapter makes one device and no more.
    std::unique_ptr<Adapter> adapter(std::size_t index) const;
    // What Dawn has said of drivers and adapters.
    rust::Vec<rust::String> words() const;
    bool has_byte_dot_products() const;
    bool has_immediates() const;

  private:
    std::vector<wgpu::Adapter> enumerate() const;
    struct Native;
    std::unique_ptr<Words> words_;  // before the instance, which writes to it until its end
    std::unique_ptr<Native> native_;
    wgpu::Instance instance_;
    std::size_t count_ = 0;
};

class Device {
  public:
    Device(wgpu::Instance instance, wgpu::Device device, std::shared_ptr<Incidents> incidents);
    ~Device();

    bool lost() const { return incidents_->lost.load(); }
    rust::String lost_reason() const;
    std::uint64_t error_count() const { return incidents_->errors.load(); }
    rust::String last_error() const;
    void inject_loss(rust::Str reason) const;
    rust::Vec<rust::String> toggles() const;

    std::unique_ptr<Buffer> create_buffer(std::uint64_t size, std::uint64_t usage, rust::Str label, Status& status) const;
    void write_buffer(const Buffer& buffer, std::uint64_t offset, rust::Slice<const std::uint8_t> bytes) const;
    void copy_buffer(const Buffer& src, std::uint64_t src_offset, const Buffer& dst, std::uint64_t dst_offset, std::uint64_t size) const;
    void clear_buffer(const Buffer& buffer, std::uint64_t offset, std::uint64_t size) const;
    std::unique_ptr<Mapping> map_read(const Buffer& buffer, std::uint64_t offset, std::uint64_t size) const;
    std::unique_ptr<Fence> submitted_work_done() const;

    // read_only: bit i set when storage binding i is `read`.
    std::unique_ptr<PendingPipeline> create_pipeline(rust::Str label, rust::Str wgsl, std::uint32_t bindings, std::uint32_t read_only,
                                                     std::uint32_t immediate_bytes, rust::Slice<const Constant> constants,
                                                     Status& status) const;
    std::unique_ptr<Recording> create_recording() const;
    std::unique_ptr<Timestamps> create_timestamps(std::uint32_t count, Status& status) const;
    // Encodes the dispatches in one compute pass and submits them.
    void submit(const Recording& recording, rust::Slice<const Dispatch> dispatches) const;
    // The same with a pass of its own for every dispatch, timestamps at its ends: 2 for each dispatch, from 0.
    void submit_timed(const Recording& recording, rust::Slice<const Dispatch> dispatches, const Timestamps& timestamps) const;

  private:
    friend class Recording;
    struct Layout {
        wgpu::BindGroupLayout group;
        wgpu::PipelineLayout pipeline;
    };
    Layout layout(std::uint32_t bindings, std::uint32_t read_only, std::uint32_t immediate_bytes) const;
    // Runs make() between error scopes and turns what they caught into a status.
    template <typename F>
    auto scoped(Status& status, F make) const -> decltype(make());

    wgpu::Instance instance_;
    wgpu::Device device_;
    wgpu::Queue queue_;
    std::shared_ptr<Incidents> incidents_;
    mutable std::mutex layouts_mutex_;
    mutable std::map<std::uint64_t, Layout> layouts_;
};

class Buffer {
  public:
    explicit Buffer(wgpu::Buffer buffer) : buffer_(std::move(buffer)) {}
    ~Buffer();
    std::uint64_t size() const { return buffer_.GetSize(); }
    const wgpu::Buffer& get() const { return buffer_; }

  private:
    wgpu::Buffer buffer_;
};

class Pipeline {
  public:
    Pipeline(wgpu::ComputePipeline pipeline, wgpu::BindGroupLayout layout) : pipeline_(std::move(pipeline)), layout_(std::move(layout)) {}
    const wgpu::ComputePipeline& get() const { return pipeline_; }
    const wgpu::BindGroupLayout& layout() const { return layout_; }

  private:
    wgpu::ComputePipeline pipeline_;
    wgpu::BindGroupLayout layout_;
};

// A pipeline that Dawn's worker threads compile.
class PendingPipeline {
  public:
    struct State {
        bool done = false;
        bool ok = false;
        std::string message;
        wgpu::ComputePipeline pipeline;
    };
    PendingPipeline(wgpu::Instance instance, wgpu::Future future, std::shared_ptr<State> state, wgpu::BindGroupLayout layout)
        : instance_(std::move(instance)), future_(future), state_(std::move(state)), layout_(std::move(layout)) {}
    // Null with status Timeout while it still compiles, null with status Shader if it cannot.
    std::unique_ptr<Pipeline> wait(std::uint64_t timeout_ns, Status& status);

  private:
    wgpu::Instance instance_;
    wgpu::Future future_;
    std::shared_ptr<State> state_;
    wgpu::BindGroupLayout layout_;
};

// The pipelines and bind groups of one plan, named by index so that a replay passes plain records.
class Recording {
  public:
    std::uint32_t add_pipeline(const Pipeline& pipeline);
    // Collects an entry for the next bind group; entries are numbered from 0 in the order of the calls.
    void bind(const Buffer& buffer, std::uint64_t offset, std::uint64_t size);
    std::uint32_t add_bind_group(const Device& device, std::uint32_t pipeline);

  private:
    friend class Device;
    void encode(const wgpu::ComputePassEncoder& pass, rust::Slice<const Dispatch> dispatches) const;
    std::vector<wgpu::ComputePipeline> pipelines_;
    std::vector<wgpu::BindGroupLayout> layouts_;
    std::vector<wgpu::BindGroup> groups_;
    std::vector<wgpu::BindGroupEntry> entries_;
};

// "Everything submitted so far has run."
class Fence {
  public:
    struct State {
        bool done = false;
        bool ok = false;
        std::string message;
    };
    Fence(wgpu::Instance instance, wgpu::Future future, std::shared_ptr<State> state)
        : instance_(std::move(instance)), future_(future), state_(std::move(state)) {}
    Status wait(std::uint64_t timeout_ns) const;

  private:
    wgpu::Instance instance_;
    wgpu::Future future_;
    std::shared_ptr<State> state_;
};

// A buffer being mapped for reading; unmapped when it is dropped.
class Mapping {
  public:
    Mapping(wgpu::Instance instance, wgpu::Buffer buffer, std::uint64_t offset, std::uint64_t size);
    ~Mapping();
    Status wait(std::uint64_t timeout_ns) const;
    // Empty until wait() said Ok.
    rust::Slice<const std::uint8_t> bytes() const;

  private:
    wgpu::Instance instance_;
    wgpu::Buffer buffer_;
    std::uint64_t offset_;
    std::uint64_t size_;
    wgpu::Future future_;
    std::shared_ptr<Fence::State> state_;
};

class Timestamps {
  public:
    Timestamps(wgpu::QuerySet set, wgpu::Buffer resolve, wgpu::Buffer readback)
        : set_(std::move(set)), resolve_(std::move(resolve)), readback_(std::move(readback)) {}
    std::unique_ptr<Buffer> readback() const { return std::make_unique<Buffer>(readback_); }

  private:
    friend class Device;
    wgpu::QuerySet set_;
    wgpu::Buffer resolve_;
    wgpu::Buffer readback_;
};

std::unique_ptr<Instance> new_instance();
rust::String backend_name(std::uint32_t backend);

}  // namespace gw
