// From plain records to submitted work: one crossing of the bridge for a batch of dispatches.
#include <webgpu/webgpu_cpp.h>

#include "bridge.h"
#include "ggml-webgpu/src/gpu/bridge.rs.h"
#include "scoped.h"

namespace gw {

std::unique_ptr<Recording> Device::create_recording() const {
    return std::make_unique<Recording>();
}

std::uint32_t Recording::add_pipeline(const Pipeline& pipeline) {
    pipelines_.push_back(pipeline.get());
    layouts_.push_back(pipeline.layout());
    return static_cast<std::uint32_t>(pipelines_.size() - 1);
}

void Recording::bind(const Buffer& buffer, std::uint64_t offset, std::uint64_t size) {
    wgpu::BindGroupEntry entry;
    entry.binding = static_cast<std::uint32_t>(entries_.size());
    entry.buffer = buffer.get();
    entry.offset = offset;
    entry.size = size;
    entries_.push_back(entry);
}

std::uint32_t Recording::add_bind_group(const Device& device, std::uint32_t pipeline) {
    wgpu::BindGroupDescriptor descriptor;
    descriptor.layout = layouts_[pipeline];
    descriptor.entryCount = entries_.size();
    descriptor.entries = entries_.data();
    groups_.push_back(device.device_.CreateBindGroup(&descriptor));
    entries_.clear();
    return static_cast<std::uint32_t>(groups_.size() - 1);
}

void Recording::encode(const wgpu::ComputePassEncoder& pass, rust::Slice<const Dispatch> dispatches) const {
    std::uint32_t pipeline = UINT32_MAX;
    std::uint32_t group = UINT32_MAX;
    for (const Dispatch& d : dispatches) {
        if (d.pipeline != pipeline) {
            pass.SetPipeline(pipelines_[d.pipeline]);
            pipeline = d.pipeline;
        }
        if (d.group != group) {
            pass.SetBindGroup(0, groups_[d.group]);
            group = d.group;
        }
        if (d.immediate_words != 0) {
            pass.SetImmediates(0, d.immediates.data(), d.immediate_words * sizeof(std::uint32_t));
        }
        pass.DispatchWorkgroups(d.x, d.y, d.z);
    }
}

void Device::submit(const Recording& recording, rust::Slice<const Dispatch> dispatches) const {
    const wgpu::CommandEncoder encoder = device_.CreateCommandEncoder();
    const wgpu::ComputePassEncoder pass = encoder.BeginComputePass();
    recording.encode(pass, dispatches);
    pass.End();
    const wgpu::CommandBuffer commands = encoder.Finish();
    queue_.Submit(1, &commands);
}

std::unique_ptr<Timestamps> Device::create_timestamps(std::uint32_t count, Status& status) const {
    wgpu::QuerySetDescriptor set;
    set.type = wgpu::QueryType::Timestamp;
    set.count = count;
    wgpu::BufferDescriptor resolve;
    resolve.size = std::uint64_t{count} * sizeof(std::uint64_t);
    resolve.usage = wgpu::BufferUsage::QueryResolve | wgpu::BufferUsage::CopySrc;
    wgpu::BufferDescriptor readback;
    readback.size = resolve.size;
    readback.usage = wgpu::BufferUsage::CopyDst | wgpu::BufferUsage::MapRead;
    auto made = scoped(status, [&] {
        return std::make_unique<Timestamps>(device_.CreateQuerySet(&set), device_.CreateBuffer(&resolve), device_.CreateBuffer(&readback));
    });
    if (status.code != Code::Ok) {
        return nullptr;
    }
    return made;
}

void Device::submit_timed(const Recording& recording, rust::Slice<const Dispatch> dispatches, const Timestamps& timestamps) const {
    const wgpu::CommandEncoder encoder = device_.CreateCommandEncoder();
    std::uint32_t query = 0;
    for (const Dispatch& dispatch : dispatches) {
        wgpu::PassTimestampWrites writes;
        writes.querySet = timestamps.set_;
        writes.beginningOfPassWriteIndex = query;
        writes.endOfPassWriteIndex = query + 1;
        wgpu::ComputePassDescriptor descriptor;
        descriptor.timestampWrites = &writes;
        const wgpu::ComputePassEncoder pass = encoder.BeginComputePass(&descriptor);
        recording.encode(pass, {&dispatch, 1});
        pass.End();
        query += 2;
    }
    encoder.ResolveQuerySet(timestamps.set_, 0, query, timestamps.resolve_, 0);
    encoder.CopyBufferToBuffer(timestamps.resolve_, 0, timestamps.readback_, 0, std::uint64_t{query} * sizeof(std::uint64_t));
    const wgpu::CommandBuffer commands = encoder.Finish();
    queue_.Submit(1, &commands);
}

}  // namespace gw
