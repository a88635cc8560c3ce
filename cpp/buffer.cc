// Buffers: making, writing, copying, clearing and mapping them.
#include <webgpu/webgpu_cpp.h>

#include "bridge.h"
#include "ggml-webgpu/src/gpu/bridge.rs.h"
#include "scoped.h"
#include "status.h"

namespace gw {

std::unique_ptr<Buffer> Device::create_buffer(std::uint64_t size, std::uint64_t usage, rust::Str label, Status& status) const {
    const std::string name(label);
    wgpu::BufferDescriptor descriptor;
    descriptor.label = wgpu::StringView(name);
    descriptor.size = size;
    descriptor.usage = static_cast<wgpu::BufferUsage>(usage);
    wgpu::Buffer buffer = scoped(status, [&] { return device_.CreateBuffer(&descriptor); });
    if (status.code != Code::Ok || !buffer) {
        return nullptr;
    }
    return std::make_unique<Buffer>(std::move(buffer));
}

Buffer::~Buffer() {
    // Gives the memory back when the GPU is done with it, not when the last bind group goes.
    buffer_.Destroy();
}

void Device::write_buffer(const Buffer& buffer, std::uint64_t offset, rust::Slice<const std::uint8_t> bytes) const {
    queue_.WriteBuffer(buffer.get(), offset, bytes.data(), bytes.size());
}

void Device::copy_buffer(const Buffer& src, std::uint64_t src_offset, const Buffer& dst, std::uint64_t dst_offset, std::uint64_t size) const {
    wgpu::CommandEncoder encoder = device_.CreateCommandEncoder();
    encoder.CopyBufferToBuffer(src.get(), src_offset, dst.get(), dst_offset, size);
    wgpu::CommandBuffer commands = encoder.Finish();
    queue_.Submit(1, &commands);
}

void Device::clear_buffer(const Buffer& buffer, std::uint64_t offset, std::uint64_t size) const {
    wgpu::CommandEncoder encoder = device_.CreateCommandEncoder();
    encoder.ClearBuffer(buffer.get(), offset, size);
    wgpu::CommandBuffer commands = encoder.Finish();
    queue_.Submit(1, &commands);
}

std::unique_ptr<Mapping> Device::map_read(const Buffer& buffer, std::uint64_t offset, std::uint64_t size) const {
    return std::make_unique<Mapping>(instance_, buffer.get(), offset, size);
}

Mapping::Mapping(wgpu::Instance instance, wgpu::Buffer buffer, std::uint64_t offset, std::uint64_t size)
    : instance_(std::move(instance)), buffer_(std::move(buffer)), offset_(offset), size_(size), state_(std::make_shared<Fence::State>()) {
    // The callback owns a share of the state: it may run after this object is gone.
    auto* share = new std::shared_ptr<Fence::State>(state_);
    future_ = buffer_.MapAsync(
        wgpu::MapMode::Read, offset_, size_, wgpu::CallbackMode::WaitAnyOnly,
        [](wgpu::MapAsyncStatus status, wgpu::StringView message, std::shared_ptr<Fence::State>* share) {
            (*share)->done = true;
            (*share)->ok = status == wgpu::MapAsyncStatus::Success;
            (*share)->message = text(message);
            delete share;
        },
        share);
}

Mapping::~Mapping() {
    buffer_.Unmap();
}

rust::Slice<const std::uint8_t> Mapping::bytes() const {
    const void* data = state_->ok ? buffer_.GetConstMappedRange(offset_, size_) : nullptr;
    if (data == nullptr) {
        return {};
    }
    return {static_cast<const std::uint8_t*>(data), static_cast<std::size_t>(size_)};
}

}  // namespace gw
