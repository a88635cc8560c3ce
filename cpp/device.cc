// Instance, adapters and devices: finding them, opening one, and writing down what goes wrong with it.
#include <dawn/native/DawnNative.h>
#include <webgpu/webgpu_cpp.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <string>
#include <vector>

#include "bridge.h"
#include "ggml-webgpu/src/gpu/bridge.rs.h"
#include "status.h"

namespace gw {

namespace {

#if defined(_WIN32)
constexpr wgpu::BackendType kBackend = wgpu::BackendType::D3D12;
#elif defined(__APPLE__)
constexpr wgpu::BackendType kBackend = wgpu::BackendType::Metal;
#else
constexpr wgpu::BackendType kBackend = wgpu::BackendType::Vulkan;
#endif

}  // namespace

// What Dawn says of drivers and adapters. Kept, not printed: it matters only where no adapter serves.
class Words {
  public:
    void add(wgpu::StringView text) {
        const std::lock_guard lock(mutex_);
        words_.emplace_back(std::string_view(text));
    }
    rust::Vec<rust::String> all() const {
        const std::lock_guard lock(mutex_);
        rust::Vec<rust::String> list;
        for (const std::string& word : words_) {
            list.push_back(rust::String::lossy(word));
        }
        return list;
    }

  private:
    mutable std::mutex mutex_;
    std::vector<std::string> words_;
};

struct Instance::Native {
    explicit Native(const wgpu::InstanceDescriptor& descriptor) : instance(&descriptor) {}
    dawn::native::Instance instance;
};

Instance::Instance() : words_(std::make_unique<Words>()) {
    // Experimental features (subgroup matrices, f16 on NVIDIA) exist only behind this toggle.
    const std::array<const char*, 2> on = {"allow_unsafe_apis", "expose_wgsl_experimental_features"};
    wgpu::DawnTogglesDescriptor toggles;
    toggles.enabledToggleCount = on.size();
    toggles.enabledToggles = on.data();
    const wgpu::InstanceFeatureName timed = wgpu::InstanceFeatureName::TimedWaitAny;
    dawn::native::DawnInstanceDescriptor native;
    native.nextInChain = &toggles;
    native.SetLoggingCallback([](wgpu::LoggingType, wgpu::StringView text, Words* words) { words->add(text); }, words_.get());
    wgpu::InstanceDescriptor descriptor;
    descriptor.nextInChain = &native;
    descriptor.requiredFeatureCount = 1;
    descriptor.requiredFeatures = &timed;
    native_ = std::make_unique<Native>(descriptor);
    instance_ = wgpu::Instance(native_->instance.Get());
    if (!instance_) {
        return;
    }
    count_ = enumerate().size();
}

std::vector<wgpu::Adapter> Instance::enumerate() const {
    // Without the first of these NVIDIA offers no f16; subgroup matrices need the second.
    const std::array<const char*, 2> on = {"vulkan_enable_f16_on_nvidia", "use_vulkan_memory_model"};
    wgpu::DawnTogglesDescriptor toggles;
    toggles.enabledToggleCount = on.size();
    toggles.enabledToggles = on.data();
    wgpu::RequestAdapterOptions options;
    options.nextInChain = &toggles;
    options.backendType = kBackend;
    std::vector<wgpu::Adapter> adapters;
    for (const dawn::native::Adapter& found : native_->instance.EnumerateAdapters(&options)) {
        adapters.emplace_back(found.Get());
    }
    return adapters;
}

Instance::~Instance() = default;

std::unique_ptr<Adapter> Instance::adapter(std::size_t index) const {
    const std::vector<wgpu::Adapter> adapters = enumerate();
    return index < adapters.size() ? std::make_unique<Adapter>(instance_, adapters[index]) : nullptr;
}

rust::Vec<rust::String> Instance::words() const {
    return words_->all();
}

// By the names of the headers: the numbers differ from one Dawn to the next.
bool Instance::has_byte_dot_products() const {
    return instance_ && instance_.HasWGSLLanguageFeature(wgpu::WGSLLanguageFeatureName::Packed4x8IntegerDotProduct);
}

bool Instance::has_immediates() const {
    return instance_ && instance_.HasWGSLLanguageFeature(wgpu::WGSLLanguageFeatureName::ImmediateAddressSpace);
}

std::unique_ptr<Instance> new_instance() {
    return std::make_unique<Instance>();
}

rust::String backend_name(std::uint32_t backend) {
    switch (static_cast<wgpu::BackendType>(backend)) {
        case wgpu::BackendType::Vulkan:
            return "Vulkan";
        case wgpu::BackendType::Metal:
            return "Metal";
        case wgpu::BackendType::D3D12:
            return "D3D12";
        case wgpu::BackendType::D3D11:
            return "D3D11";
        default:
            return "other";
    }
}

AdapterFacts Adapter::facts() const {
    wgpu::AdapterPropertiesMemoryHeaps heaps;
    wgpu::AdapterPropertiesSubgroupMatrixConfigs matrices;
    const bool has_heaps = adapter_.HasFeature(wgpu::FeatureName::AdapterPropertiesMemoryHeaps);
    const bool has_matrices = adapter_.HasFeature(wgpu::FeatureName::ChromiumExperimentalSubgroupMatrix);
    wgpu::AdapterInfo info;
    wgpu::ChainedStructOut** chain = &info.nextInChain;
    if (has_heaps) {
        *chain = &heaps;
        chain = &heaps.nextInChain;
    }
    if (has_matrices) {
        *chain = &matrices;
    }
    wgpu::Limits limits;
    adapter_.GetInfo(&info);
    adapter_.GetLimits(&limits);

    AdapterFacts facts{};
    facts.vendor = lossy(text(info.vendor));
    facts.architecture = lossy(text(info.architecture));
    facts.device = lossy(text(info.device));
    facts.description = lossy(text(info.description));
    facts.backend = static_cast<std::uint32_t>(info.backendType);
    facts.adapter_type = static_cast<std::uint32_t>(info.adapterType);
    facts.vendor_id = info.vendorID;
    facts.device_id = info.deviceID;
    facts.subgroup_min = info.subgroupMinSize;
    facts.subgroup_max = info.subgroupMaxSize;
    for (std::size_t i = 0; has_heaps && i < heaps.heapCount; ++i) {
        const bool local = static_cast<bool>(heaps.heapInfo[i].properties & wgpu::HeapProperty::DeviceLocal);
        facts.heaps.push_back(Heap{heaps.heapInfo[i].size, local});
    }
    for (std::size_t i = 0; has_matrices && i < matrices.configCount; ++i) {
        const wgpu::SubgroupMatrixConfig& c = matrices.configs[i];
        facts.matrices.push_back(Matrix{static_cast<std::uint32_t>(c.componentType), static_cast<std::uint32_t>(c.resultComponentType), c.M, c.N, c.K});
    }
    facts.f16 = adapter_.HasFeature(wgpu::FeatureName::ShaderF16);
    facts.subgroups = adapter_.HasFeature(wgpu::FeatureName::Subgroups);
    facts.subgroup_size_control = adapter_.HasFeature(wgpu::FeatureName::SubgroupSizeControl);
    facts.subgroup_matrix = has_matrices;
    facts.timestamps = adapter_.HasFeature(wgpu::FeatureName::TimestampQuery);
    facts.implicit_sync = adapter_.HasFeature(wgpu::FeatureName::ImplicitDeviceSynchronization);
    facts.max_buffer = limits.maxBufferSize;
    facts.max_binding = limits.maxStorageBufferBindingSize;
    facts.min_offset_alignment = limits.minStorageBufferOffsetAlignment;
    facts.max_workgroups = limits.maxComputeWorkgroupsPerDimension;
    facts.max_invocations = limits.maxComputeInvocationsPerWorkgroup;
    facts.max_workgroup_x = limits.maxComputeWorkgroupSizeX;
    facts.max_workgroup_memory = limits.maxComputeWorkgroupStorageSize;
    facts.max_storage_buffers = limits.maxStorageBuffersPerShaderStage;
    facts.max_immediate_bytes = limits.maxImmediateSize == wgpu::kLimitU32Undefined ? 0 : limits.maxImmediateSize;
    return facts;
}

std::unique_ptr<Device> Adapter::open(const DeviceOptions& options, Status& status) const {
    std::vector<wgpu::FeatureName> features = {wgpu::FeatureName::ImplicitDeviceSynchronization};
    const auto want = [&](bool wanted, wgpu::FeatureName name) {
        if (wanted) {
            features.push_back(name);
        }
    };
    want(options.f16, wgpu::FeatureName::ShaderF16);
    want(options.subgroups, wgpu::FeatureName::Subgroups);
    want(options.subgroup_size_control, wgpu::FeatureName::SubgroupSizeControl);
    want(options.subgroup_matrix, wgpu::FeatureName::ChromiumExperimentalSubgroupMatrix);
    want(options.timestamps, wgpu::FeatureName::TimestampQuery);

    std::vector<std::string> names;
    std::vector<const char*> enable;
    std::vector<const char*> disable;
    names.reserve(options.enable.size() + options.disable.size());
    for (const rust::String& name : options.enable) {
        enable.push_back(names.emplace_back(name).c_str());
    }
    for (const rust::String& name : options.disable) {
        disable.push_back(names.emplace_back(name).c_str());
    }
    wgpu::DawnTogglesDescriptor toggles;
    toggles.enabledToggleCount = enable.size();
    toggles.enabledToggles = enable.data();
    toggles.disabledToggleCount = disable.size();
    toggles.disabledToggles = disable.data();

    wgpu::Limits limits;
    adapter_.GetLimits(&limits);
    limits.nextInChain = nullptr;

    const std::string label(options.label);
    auto incidents = std::make_shared<Incidents>();
    wgpu::DeviceDescriptor descriptor;
    descriptor.nextInChain = &toggles;
    descriptor.label = wgpu::StringView(label);
    descriptor.requiredFeatureCount = features.size();
    descriptor.requiredFeatures = features.data();
    descriptor.requiredLimits = &limits;
    // The callbacks may run after the device's owner is gone, so each holds a share of what it writes to; Dawn calls the
    // lost callback exactly once, which gives that share back.
    auto* for_lost = new std::shared_ptr<Incidents>(incidents);
    descriptor.SetDeviceLostCallback(
        wgpu::CallbackMode::AllowSpontaneous,
        [](const wgpu::Device&, wgpu::DeviceLostReason reason, wgpu::StringView message, std::shared_ptr<Incidents>* share) {
            if (reason != wgpu::DeviceLostReason::Destroyed && reason != wgpu::DeviceLostReason::CallbackCancelled) {
                std::lock_guard lock((*share)->mutex);
                (*share)->lost_reason = text(message);
            }
            (*share)->lost.store(true);
            delete share;
        },
        for_lost);
    // Dawn has no last call for this one; the device keeps `incidents` alive for as long as it can report.
    descriptor.SetUncapturedErrorCallback(
        [](const wgpu::Device&, wgpu::ErrorType, wgpu::StringView message, Incidents* sink) {
            std::lock_guard lock(sink->mutex);
            sink->last_error = text(message);
            sink->errors.fetch_add(1);
        },
        incidents.get());

    wgpu::Device device;
    std::string message;
    const wgpu::Future future =
        adapter_.RequestDevice(&descriptor, wgpu::CallbackMode::WaitAnyOnly,
                               [&](wgpu::RequestDeviceStatus, wgpu::Device made, wgpu::StringView why) {
                                   device = std::move(made);
                                   message = text(why);
                               });
    instance_.WaitAny(future, UINT64_MAX);
    if (!device) {
        status.code = Code::Invalid;
        status.message = lossy(message);
        return nullptr;
    }
    status.code = Code::Ok;
    return std::make_unique<Device>(instance_, std::move(device), std::move(incidents));
}

Device::Device(wgpu::Instance instance, wgpu::Device device, std::shared_ptr<Incidents> incidents)
    : instance_(std::move(instance)), device_(std::move(device)), queue_(device_.GetQueue()), incidents_(std::move(incidents)) {}

Device::~Device() {
    layouts_.clear();
    // Ends callbacks into incidents_ before it goes.
    device_.Destroy();
}

rust::String Device::lost_reason() const {
    std::lock_guard lock(incidents_->mutex);
    return lossy(incidents_->lost_reason);
}

rust::String Device::last_error() const {
    std::lock_guard lock(incidents_->mutex);
    return lossy(incidents_->last_error);
}

void Device::inject_loss(rust::Str reason) const {
    const std::string message(reason);
    device_.ForceLoss(wgpu::DeviceLostReason::Unknown, wgpu::StringView(message));
}

rust::Vec<rust::String> Device::toggles() const {
    rust::Vec<rust::String> names;
    for (const char* name : dawn::native::GetTogglesUsed(device_.Get())) {
        names.push_back(name);
    }
    return names;
}

}  // namespace gw
