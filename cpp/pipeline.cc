// Shader modules, compute pipelines compiled on Dawn's workers, and the one family of explicit layouts.
#include <webgpu/webgpu_cpp.h>

#include "bridge.h"
#include "ggml-webgpu/src/gpu/bridge.rs.h"
#include "scoped.h"
#include "status.h"

namespace gw {

Device::Layout Device::layout(std::uint32_t bindings, std::uint32_t read_only, std::uint32_t immediate_bytes) const {
    const std::uint64_t key = bindings | (std::uint64_t{immediate_bytes} << 8) | (std::uint64_t{read_only} << 32);
    std::lock_guard lock(layouts_mutex_);
    const auto found = layouts_.find(key);
    if (found != layouts_.end()) {
        return found->second;
    }
    std::vector<wgpu::BindGroupLayoutEntry> entries(bindings);
    for (std::uint32_t i = 0; i < bindings; ++i) {
        entries[i].binding = i;
        entries[i].visibility = wgpu::ShaderStage::Compute;
        entries[i].buffer.type = (read_only >> i & 1U) != 0 ? wgpu::BufferBindingType::ReadOnlyStorage : wgpu::BufferBindingType::Storage;
    }
    wgpu::BindGroupLayoutDescriptor group;
    group.entryCount = entries.size();
    group.entries = entries.data();
    Layout made;
    made.group = device_.CreateBindGroupLayout(&group);
    wgpu::PipelineLayoutDescriptor pipeline;
    pipeline.bindGroupLayoutCount = 1;
    pipeline.bindGroupLayouts = &made.group;
    pipeline.immediateSize = immediate_bytes;
    made.pipeline = device_.CreatePipelineLayout(&pipeline);
    layouts_.emplace(key, made);
    return made;
}

std::unique_ptr<PendingPipeline> Device::create_pipeline(rust::Str label, rust::Str wgsl, std::uint32_t bindings, std::uint32_t read_only,
                                                         std::uint32_t immediate_bytes, rust::Slice<const Constant> constants,
                                                         Status& status) const {
    const std::string name(label);
    const std::string code(wgsl);
    wgpu::ShaderSourceWGSL source;
    source.code = wgpu::StringView(code);
    wgpu::ShaderModuleDescriptor shader;
    shader.nextInChain = &source;
    shader.label = wgpu::StringView(name);
    Layout layout;
    const wgpu::ShaderModule module = scoped(status, [&] {
        layout = this->layout(bindings, read_only, immediate_bytes);
        return device_.CreateShaderModule(&shader);
    });
    if (status.code != Code::Ok) {
        status.code = status.code == Code::Invalid ? Code::Shader : status.code;
        return nullptr;
    }
    std::vector<std::string> keys;
    std::vector<wgpu::ConstantEntry> entries;
    keys.reserve(constants.size());
    for (const Constant& constant : constants) {
        wgpu::ConstantEntry entry;
        entry.key = wgpu::StringView(keys.emplace_back(constant.name));
        entry.value = constant.value;
        entries.push_back(entry);
    }
    wgpu::ComputePipelineDescriptor descriptor;
    descriptor.label = wgpu::StringView(name);
    descriptor.layout = layout.pipeline;
    descriptor.compute.module = module;
    descriptor.compute.entryPoint = "main";
    descriptor.compute.constantCount = entries.size();
    descriptor.compute.constants = entries.data();
    auto state = std::make_shared<PendingPipeline::State>();
    auto* share = new std::shared_ptr<PendingPipeline::State>(state);
    const wgpu::Future future = device_.CreateComputePipelineAsync(
        &descriptor, wgpu::CallbackMode::WaitAnyOnly,
        [](wgpu::CreatePipelineAsyncStatus result, wgpu::ComputePipeline pipeline, wgpu::StringView message, std::shared_ptr<PendingPipeline::State>* share) {
            (*share)->done = true;
            (*share)->ok = result == wgpu::CreatePipelineAsyncStatus::Success;
            (*share)->message = text(message);
            (*share)->pipeline = std::move(pipeline);
            delete share;
        },
        share);
    return std::make_unique<PendingPipeline>(instance_, future, std::move(state), layout.group);
}

std::unique_ptr<Pipeline> PendingPipeline::wait(std::uint64_t timeout_ns, Status& status) {
    if (!state_->done) {
        instance_.WaitAny(future_, timeout_ns);
    }
    if (!state_->done) {
        status.code = Code::Timeout;
        return nullptr;
    }
    if (!state_->ok) {
        status.code = Code::Shader;
        status.message = lossy(state_->message);
        return nullptr;
    }
    status.code = Code::Ok;
    return std::make_unique<Pipeline>(state_->pipeline, layout_);
}

}  // namespace gw
