#include "tests/regressd/server_process.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>

#include "nlohmann/json.hpp"
#include "storage/child_process.h"

namespace regressd::testing {

ServerProcess::ServerProcess(std::filesystem::path folder,
                             const std::vector<std::string>& arguments)
    : folder_(std::move(folder)) {
  std::filesystem::remove(folder_ / "ports.json");
  storage::ChildCommand command{
      .arguments = {REGRESSD_BINARY, "--grpc-listen=127.0.0.1:0", "--http-listen=127.0.0.1:0",
                    "--ports-file", (folder_ / "ports.json").string()},
      .user = {},
      .working_directory = folder_,
      .output = folder_ / "regressd.log",
      .signal_when_parent_dies = SIGTERM};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  const auto child = storage::Spawn(command);
  if (!child.ok()) {
    std::fprintf(stderr, "%s\n", child.status().ToString().c_str());
    std::abort();
  }
  pid_ = *child;
}

ServerProcess::~ServerProcess() {
  if (pid_ == 0) return;
  Signal(SIGTERM);  // So that its PostgreSQL is gone when its directory goes.
  AwaitEnd();
}

bool ServerProcess::AwaitPorts() {
  while (true) {
    const bool ended = storage::HasEnded(pid_);
    if (std::ifstream in(folder_ / "ports.json"); in) {
      const auto ports = nlohmann::json::parse(in);
      grpc_port_ = ports["grpc_port"];
      http_port_ = ports["http_port"];
      return true;
    }
    if (ended) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

void ServerProcess::Signal(int signal) const { kill(pid_, signal); }

std::string ServerProcess::AwaitEnd() { return storage::Reap(std::exchange(pid_, 0)); }

std::string ServerProcess::Log() const {
  std::ifstream in(folder_ / "regressd.log");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace regressd::testing
