// Futures become blocking waits with a time limit; what happened is a status.
#include <webgpu/webgpu_cpp.h>

#include "bridge.h"
#include "ggml-webgpu/src/gpu/bridge.rs.h"
#include "status.h"

namespace gw {

namespace {

Status wait_for(const wgpu::Instance& instance, const wgpu::Future& future, const Fence::State& state, std::uint64_t timeout_ns) {
    if (!state.done) {
        instance.WaitAny(future, timeout_ns);
    }
    if (!state.done) {
        return Status{Code::Timeout, {}};
    }
    return Status{state.ok ? Code::Ok : Code::Invalid, lossy(state.message)};
}

}  // namespace

std::unique_ptr<Fence> Device::submitted_work_done() const {
    auto state = std::make_shared<Fence::State>();
    auto* share = new std::shared_ptr<Fence::State>(state);
    const wgpu::Future future = queue_.OnSubmittedWorkDone(
        wgpu::CallbackMode::WaitAnyOnly,
        [](wgpu::QueueWorkDoneStatus status, wgpu::StringView message, std::shared_ptr<Fence::State>* share) {
            (*share)->done = true;
            (*share)->ok = status == wgpu::QueueWorkDoneStatus::Success;
            (*share)->message = text(message);
            delete share;
        },
        share);
    return std::make_unique<Fence>(instance_, future, std::move(state));
}

Status Fence::wait(std::uint64_t timeout_ns) const {
    return wait_for(instance_, future_, *state_, timeout_ns);
}

Status Mapping::wait(std::uint64_t timeout_ns) const {
    return wait_for(instance_, future_, *state_, timeout_ns);
}

}  // namespace gw
