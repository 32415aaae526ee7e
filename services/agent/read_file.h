#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "services/agent/unique_fd.h"

namespace regressd::agent {

/// The whole of a file; nullopt, with errno set, when it cannot be opened or read to its end.
///
/// Iterators over a std::ifstream throw when a read fails, and files of /proc and /sys do fail: a
/// process ends, a device goes, a kernel lacks a feature.
inline std::optional<std::string> ReadFile(const std::filesystem::path& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return std::nullopt;
  std::string text;
  std::array<char, 16384> buffer;
  for (;;) {
    const ssize_t got = read(file.get(), buffer.data(), buffer.size());
    if (got == 0) return text;
    if (got > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (errno != EINTR) {
      return std::nullopt;
    }
  }
}

}  // namespace regressd::agent
