#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tests/bench/monitor_choice.h"
#include "tests/bench/scratch.h"
#include "tests/bench/subject.h"

namespace regressd::bench {
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// The agent's default of --profile-window.
constexpr int kWindowSeconds = 60;

/// CPU time and peak memory of one `regress-agent collect`, its tools included.
struct Usage {
  double cpu_s = 0;
  double wall_s = 0;
  double rss_mib = 0;
};

absl::StatusOr<Usage> Collect(const SubjectOptions& options, const PrivateServer& server,
                              const ScratchFolder& folder, const std::vector<std::string>& monitors,
                              int duration_s) {
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
  if (monitors.empty()) arguments.insert(arguments.end(), {"--no-monitor", "all"});
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
  return Usage{.cpu_s = Seconds(exit.usage.ru_utime) + Seconds(exit.usage.ru_stime),
               .wall_s = wall.count(),
               .rss_mib = static_cast<double>(exit.usage.ru_maxrss) / 1024};
}

/// What watching costs beside start and end, which fall outside of the command's time: a long
/// collection less a short one. Probing perf costs more or less from time to time, so the middle
/// one of three short ones is taken; what is left of that may make a small cost negative.
absl::StatusOr<Usage> CostOf(const SubjectOptions& options, const PrivateServer& server,
                             const ScratchFolder& folder,
                             const std::vector<std::string>& monitors) {
  constexpr int kShortSeconds = 2;
  const bool in_windows = std::any_of(monitors.begin(), monitors.end(), [](const auto& monitor) {
    return monitor == "perf-record" || monitor == "perf-lock";
  });
  // Longer by whole windows, each of which has its start and its end.
  const int quick_s = in_windows ? kWindowSeconds : kWindowSeconds / 3;
  const int long_s = kShortSeconds + (options.quick ? quick_s : 2 * kWindowSeconds);
  std::vector<Usage> briefs;
  for (int i = 0; i < 3; ++i) {
    const auto brief = Collect(options, server, folder, monitors, kShortSeconds);
    if (!brief.ok()) return brief.status();
    briefs.push_back(*brief);
  }
  std::sort(briefs.begin(), briefs.end(),
            [](const Usage& a, const Usage& b) { return a.cpu_s < b.cpu_s; });
  auto whole = Collect(options, server, folder, monitors, long_s);
  if (!whole.ok()) return whole.status();
  whole->cpu_s -= briefs[1].cpu_s;
  whole->wall_s -= briefs[1].wall_s;
  return whole;
}

/// One choice of monitors and what it may cost.
struct Choice {
  std::string name;
  std::vector<std::string> monitors;
  std::optional<double> must_percent = {};
  std::optional<double> want_percent = {};
};

std::vector<Choice> Choices() {
  const std::vector<std::string> usual = DefaultMonitors();
  const std::vector<std::string> profiled = ProfilingMonitors();
  return {{"no monitor", {}},
          {"proc", {"proc"}},
          {"vmstat", {"vmstat"}},
          {"vmstat-tool", {"vmstat-tool"}},
          {"kernel-log", {"kernel-log"}},
          {"perf-stat", {"perf-stat"}},
          {"perf-lock", {"perf-lock"}},
          {"perf-record at 99 Hz", {"perf-record"}},
          {"all that run by default", usual, 1.0, 0.5},
          {"all with perf-record at 99 Hz", profiled, 3.0, 2.0}};
}

}  // namespace

absl::StatusOr<std::vector<Figure>> MeasureAgentCost(const SubjectOptions& options) {
  const ScratchFolder folder;
  auto server = StartServer(options.bin_dir, folder.path());
  if (!server.ok()) return server.status();

  std::vector<Figure> figures;
  for (const Choice& choice : Choices()) {
    // Each choice takes up to two minutes; quickly, only what has been promised.
    if (options.quick && !choice.must_percent) continue;
    Figure cpu{.name = "agent CPU of one core, " + choice.name,
               .value = {},
               .unit = "%",
               .must = choice.must_percent,
               .want = choice.want_percent,
               .better = Better::kLower,
               .note = {}};
    Figure rss{.name = "agent peak RSS, " + choice.name,
               .value = {},
               .unit = "MiB",
               .must = {},
               .want = 32.0,
               .better = Better::kLower,
               .note = {}};
    const auto cost = CostOf(options, *server, folder, choice.monitors);
    if (cost.ok()) {
      cpu.value = 100 * cost->cpu_s / cost->wall_s;
      rss.value = cost->rss_mib;
    } else {
      cpu.note = rss.note = std::string(cost.status().message());
    }
    figures.push_back(cpu);
    figures.push_back(rss);
  }
  server->process.Stop();
  return figures;
}

}  // namespace regressd::bench
