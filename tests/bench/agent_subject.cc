#include <fmt/format.h>
#include <sys/wait.h>

#include <chrono>

#include "tests/bench/scratch.h"
#include "tests/bench/subject.h"

namespace regressd::bench {
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

struct Cost {
  double cpu_percent = 0;
  double rss_mib = 0;
};

/// CPU time and peak memory of `regress-agent collect` with one choice of monitors.
absl::StatusOr<Cost> CostOf(const SubjectOptions& options, const PrivateServer& server,
                            const ScratchFolder& folder, const std::vector<std::string>& monitors) {
  const int duration_s = options.quick ? 10 : 60;
  std::vector<std::string> arguments{options.bin_dir + "/regress-agent",
                                     "collect",
                                     "--server",
                                     server.grpc_address,
                                     "--testcase",
                                     "bench-agent",
                                     "--commit",
                                     "bench",
                                     "--duration",
                                     fmt::format("{}", duration_s)};
  for (const std::string& monitor : monitors) {
    arguments.push_back("--monitor");
    arguments.push_back(monitor);
  }
  const std::string log = (folder.path() / "agent.log").string();
  const auto begin = std::chrono::steady_clock::now();
  auto agent = Child::Start(arguments,
                            {"REGRESS_AGENT_SPOOL_DIR=" + (folder.path() / "spool").string()}, log);
  if (!agent.ok()) return agent.status();
  const Child::Exit exit = agent->Wait();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  if (!WIFEXITED(exit.status) || WEXITSTATUS(exit.status) != 0) {
    return absl::InternalError(fmt::format("regress-agent collect ended with {}", exit.status));
  }
  const double cpu_s = Seconds(exit.usage.ru_utime) + Seconds(exit.usage.ru_stime);
  return Cost{.cpu_percent = 100 * cpu_s / wall.count(),
              .rss_mib = static_cast<double>(exit.usage.ru_maxrss) / 1024};
}

}  // namespace

absl::StatusOr<std::vector<Figure>> MeasureAgent(const SubjectOptions& options) {
  const ScratchFolder folder;
  auto server = StartServer(options.bin_dir, folder.path());
  if (!server.ok()) return server.status();

  Figure cpu{.name = "agent CPU of one core, all /proc monitors at 1 s",
             .value = {},
             .unit = "%",
             .must = 1.0,
             .want = 0.5,
             .better = Better::kLower,
             .note = {}};
  Figure rss{.name = "agent peak RSS, all /proc monitors at 1 s",
             .value = {},
             .unit = "MiB",
             .must = {},
             .want = 32.0,
             .better = Better::kLower,
             .note = {}};
  const auto cost = CostOf(options, *server, folder, {"proc"});
  if (cost.ok()) {
    cpu.value = cost->cpu_percent;
    rss.value = cost->rss_mib;
  } else {
    cpu.note = rss.note = std::string(cost.status().message());
  }
  server->process.Stop();
  return std::vector<Figure>{cpu, rss};
}

}  // namespace regressd::bench
