// Error scopes around the making of one Dawn object. Scopes belong to the calling thread, so threads don't mix them up.
#pragma once

#include "bridge.h"
#include "ggml-webgpu/src/gpu/bridge.rs.h"
#include "status.h"

namespace gw {

template <typename F>
auto Device::scoped(Status& status, F make) const -> decltype(make()) {
    constexpr wgpu::ErrorFilter kFilters[] = {wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Validation};
    for (const wgpu::ErrorFilter filter : kFilters) {
        device_.PushErrorScope(filter);
    }
    auto made = make();
    status.code = Code::Ok;
    for (std::size_t i = 0; i < std::size(kFilters); ++i) {
        const wgpu::Future popped = device_.PopErrorScope(
            wgpu::CallbackMode::WaitAnyOnly, [&](wgpu::PopErrorScopeStatus, wgpu::ErrorType type, wgpu::StringView message) {
                if (type == wgpu::ErrorType::NoError) {
                    return;
                }
                status.code = type == wgpu::ErrorType::OutOfMemory ? Code::OutOfMemory : Code::Invalid;
                status.message = lossy(text(message));
            });
        instance_.WaitAny(popped, UINT64_MAX);
    }
    if (status.code != Code::Ok && lost()) {
        status.code = Code::Lost;
    }
    return made;
}

}  // namespace gw
