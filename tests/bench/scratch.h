#pragma once

#include <filesystem>
#include <string>

#include "absl/status/statusor.h"
#include "tests/bench/child.h"

namespace regressd::bench {

/// A folder below the system's temporary folder that an unprivileged PostgreSQL may enter; removed
/// at the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The whole file; empty when it cannot be read.
std::string ReadAll(const std::filesystem::path& path);

/// A random UUID of the kernel.
std::string NewUuid();

/// A regressd of this build on an embedded PostgreSQL below `folder`, listening on loopback ports
/// of its choice.
struct PrivateServer {
  Child process;
  std::string grpc_address;
};

/// Errors: Internal with the end of its log when it does not come up.
absl::StatusOr<PrivateServer> StartServer(const std::string& bin_dir,
                                          const std::filesystem::path& folder);

}  // namespace regressd::bench
