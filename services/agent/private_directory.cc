#include "services/agent/private_directory.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

namespace regressd::agent {

absl::StatusOr<PrivateDirectory> PrivateDirectory::Create(const std::filesystem::path& parent) {
  std::error_code error;
  std::filesystem::path base = parent;
  if (base.empty()) base = std::filesystem::temp_directory_path(error);
  if (error) base = "/tmp";
  std::string name = (base / "regress-agent-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    return absl::UnavailableError(
        fmt::format("cannot make a directory in {}: {}", base.string(), std::strerror(errno)));
  }
  return PrivateDirectory(name);
}

PrivateDirectory::PrivateDirectory(PrivateDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

PrivateDirectory::~PrivateDirectory() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace regressd::agent
