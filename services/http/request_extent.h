#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace regressd::http {

/// Of what a client may make us keep before it has said what it wants.
inline constexpr std::size_t kMaxHeadBytes = 32 << 10;
inline constexpr std::size_t kMaxBodyBytes = 64 << 10;

/// How much of what came is the first request.
struct RequestExtent {
  std::size_t size_bytes = 0;
  bool is_last = false;  ///< What follows cannot be told from its body: close after the answer.
};

/// Unset while more must come. A request that is too large, or whose body's length its head does
/// not say, extends as far as its head: enough to refuse it by.
std::optional<RequestExtent> FindRequest(std::string_view received);

}  // namespace regressd::http
