#include "services/regressd/ports_file.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "fmt/format.h"

namespace regressd {

absl::Status WritePortsFile(const std::string& path, const Ports& ports) {
  const std::string draft = fmt::format("{}.{}", path, getpid());
  std::ofstream out(draft);
  out << fmt::format("{{\"grpc_port\": {}, \"http_port\": {}, \"pid\": {}}}\n", ports.grpc,
                     ports.http, getpid());
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(draft, path, error);
  if (!out || error) return absl::InternalError(fmt::format("cannot write ports file {}", path));
  return absl::OkStatus();
}

}  // namespace regressd
