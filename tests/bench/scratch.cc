#include "tests/bench/scratch.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

namespace regressd::bench {

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string NewUuid() {
  std::string uuid = ReadAll("/proc/sys/kernel/random/uuid");
  uuid.resize(std::min(uuid.find('\n'), uuid.size()));
  return uuid;
}

ScratchFolder::ScratchFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "regress-bench-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::system_error(errno, std::generic_category());
  path_ = pattern;
  std::filesystem::permissions(path_, std::filesystem::perms(0711));
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

absl::StatusOr<PrivateServer> StartServer(const std::string& bin_dir,
                                          const std::filesystem::path& folder) {
  const std::filesystem::path ports = folder / "ports.json";
  const std::filesystem::path log = folder / "regressd.log";
  auto process =
      Child::Start({bin_dir + "/regressd", "--ports-file", ports.string()},
                   {"REGRESSD_DATA_DIR=" + (folder / "data").string(),
                    "REGRESSD_GRPC_LISTEN=127.0.0.1:0", "REGRESSD_HTTP_LISTEN=127.0.0.1:0"},
                   log.string());
  if (!process.ok()) return process.status();
  // The first start makes a database; a minute is far more than it takes.
  for (int i = 0; i < 600 && process->running(); ++i) {
    const auto found = nlohmann::json::parse(ReadAll(ports), nullptr, false);
    if (found.is_object() && found.contains("grpc_port")) {
      return PrivateServer{std::move(*process),
                           fmt::format("127.0.0.1:{}", found["grpc_port"].get<int>())};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return absl::InternalError(
      fmt::format("{}/regressd did not come up:\n{}", bin_dir, ReadAll(log)));
}

}  // namespace regressd::bench
