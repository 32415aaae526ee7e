#include "tests/bench/watched_load.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "services/agent/setup/run_setup.h"
#include "tests/bench/child.h"
#include "tests/bench/scratch.h"

namespace regressd::bench {
namespace {

// `regress-agent run` when its samples wait for a server.
constexpr int kNotDelivered = 4;

std::vector<std::string> LoadCommand(const std::string& bin_dir, const Load& load) {
  std::vector<std::string> command{bin_dir + "/regress-agent", "workload", load.name};
  command.insert(command.end(), load.arguments.begin(), load.arguments.end());
  return command;
}

/// Value of the line "name value unit better"; 0 without one.
double ResultIn(const std::string& output, const std::string& name) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first;
    double value = 0;
    if (words >> first >> value && first == name) return value;
  }
  return 0;
}

}  // namespace

absl::StatusOr<int> LoadRunner::RunBare(const Load& load, const std::string& output) {
  agent::SetupOptions wanted;
  if (load.memory_limit_bytes > 0) wanted.memory_limit_bytes = load.memory_limit_bytes;
  auto setup = agent::RunSetup::Make(wanted, NewUuid(), folder_, machine_);
  if (!setup.ok()) return setup.status();
  auto child =
      Child::Start(LoadCommand(bin_dir_, load), {}, output, (*setup)->cgroup_directory().string());
  if (!child.ok()) return child.status();
  const int status = child->Wait().status;
  if (absl::Status undone = (*setup)->Undo(); !undone.ok()) return undone;
  return status;
}

absl::StatusOr<int> LoadRunner::RunWatched(const Load& load, const Side& side,
                                           const std::string& output) {
  // Port 1 answers to nobody: what is seen goes to the spool, as with any server that is away.
  std::vector<std::string> arguments{bin_dir_ + "/regress-agent",
                                     "run",
                                     "--server",
                                     "127.0.0.1:1",
                                     "--deliver-timeout",
                                     "0",
                                     "--testcase",
                                     load.name,
                                     "--commit",
                                     "bench",
                                     "--spool-dir",
                                     folder_.string()};
  if (load.memory_limit_bytes > 0) {
    arguments.insert(arguments.end(), {"--memcg", fmt::format("{}", load.memory_limit_bytes)});
  }
  for (const std::string& monitor : side.monitors) {
    arguments.insert(arguments.end(), {"--monitor", monitor});
  }
  arguments.emplace_back("--");
  const std::vector<std::string> command = LoadCommand(bin_dir_, load);
  arguments.insert(arguments.end(), command.begin(), command.end());
  auto child = Child::Start(arguments, {}, output);
  if (!child.ok()) return child.status();
  const int status = child->Wait().status;
  // The bare runs should not find a fuller disk than the watched ones.
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
    if (entry.path().extension() == ".spool") std::filesystem::remove(entry.path(), ignored);
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == kNotDelivered ? 0 : status;
}

absl::StatusOr<double> LoadRunner::Run(const Load& load, const Side& side) {
  const std::filesystem::path output = folder_ / "output";
  std::error_code ignored;
  std::filesystem::remove(output, ignored);
  const auto status =
      side.watched ? RunWatched(load, side, output.string()) : RunBare(load, output.string());
  if (!status.ok()) return status.status();
  const std::string said = ReadAll(output);
  const double rate = ResultIn(said, load.result);
  if (*status != 0 || rate <= 0) {
    return absl::InternalError(
        fmt::format("{}, {}, ended with status {:#x}: {}", load.name, side.name, *status, said));
  }
  return rate;
}

}  // namespace regressd::bench
