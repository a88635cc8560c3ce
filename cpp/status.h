// The one way in which C++ reports failure to Rust: a code to branch on and a sentence to show. Nothing here throws.
#pragma once

#include <webgpu/webgpu_cpp.h>

#include <string>

#include "rust/cxx.h"

namespace gw {

struct Status;
enum class Code : std::uint8_t;

inline std::string text(wgpu::StringView view) {
    return std::string(std::string_view(view));
}

// cxx copies the string; invalid UTF-8 from a driver is replaced, not thrown.
inline rust::String lossy(const std::string& s) {
    return rust::String::lossy(s);
}

}  // namespace gw
