#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "services/agent/setup/run_setup.h"
#include "services/analysis/summary.h"
#include "tests/bench/held_signals.h"
#include "tests/bench/monitor_choice.h"
#include "tests/bench/scratch.h"
#include "tests/bench/slow_down.h"
#include "tests/bench/subject.h"
#include "tests/bench/watched_load.h"

namespace regressd::bench {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

// Setups live here while swap-w-seq is measured: a fixed place, so that the next start finds what
// one that was killed has left.
constexpr char kSetupFolder[] = "/var/lib/regress-bench";

/// As many tasks as CPUs, so that the agent has to take its time from the load; with a CPU to spare
/// it would look free. Two seconds each.
std::string TaskCount() { return fmt::format("{}", sysconf(_SC_NPROCESSORS_ONLN)); }

Load PageFaultLoad() {
  return {.name = "page-fault1",
          .arguments = {"--tasks", TaskCount(), "--warm-up", "0.5", "--runtime", "2"},
          .result = "processes_ops",
          .unit = "pages/s"};
}

Load SwapLoad() {
  return {.name = "swap-w-seq",
          .arguments = {"--tasks", TaskCount(), "--size", "768m"},
          .result = "throughput",
          .unit = "KB/s",
          .memory_limit_bytes = 256 * kMiB};
}

std::vector<Side> Sides() {
  return {
      {.name = "bare", .watched = false, .monitors = {}},
      {.name = "under the default monitors", .watched = true, .monitors = DefaultMonitors()},
      {.name = "with perf-record at 99 Hz, too", .watched = true, .monitors = ProfilingMonitors()}};
}

/// One side and what it gave.
struct SideRates {
  Side side;
  std::vector<double> rates = {};
  absl::Status status = absl::OkStatus();  ///< Why it is not measured at all.
  std::string missing = {};                ///< Monitors that cannot start here, and why.
  int failed = 0;                          ///< Runs that count and gave no rate.
  std::string failure = {};                ///< Of the last of them.
};

bool Measured(const SideRates& side) { return side.status.ok() && !side.rates.empty(); }

std::string WhyNotMeasured(const SideRates& side) {
  return fmt::format("not measured: {}",
                     side.status.ok() ? side.failure : std::string(side.status.message()));
}

/// One run of each side that can be measured, in a new order. A side that fails in a block that
/// does not count is given up; later on, only its run is. Errors: Cancelled.
absl::Status RunBlock(LoadRunner& runner, const Load& load, std::mt19937_64& random,
                      const HeldSignals& signals, bool counts, std::vector<SideRates>& sides) {
  std::vector<SideRates*> order;
  for (SideRates& side : sides) {
    if (side.status.ok()) order.push_back(&side);
  }
  std::shuffle(order.begin(), order.end(), random);
  for (SideRates* side : order) {
    const auto rate = runner.Run(load, side->side);
    if (signals.waiting()) return absl::CancelledError("ended by a signal");
    if (rate.ok()) {
      if (counts) side->rates.push_back(*rate);
    } else if (counts) {
      ++side->failed;
      side->failure = std::string(rate.status().message());
    } else {
      side->status = rate.status();
    }
  }
  return absl::OkStatus();
}

Figure Shown(std::string name, std::string unit) {
  return {.name = std::move(name),
          .value = {},
          .unit = std::move(unit),
          .must = {},
          .want = {},
          .better = Better::kLower,
          .note = {}};
}

Figure RateFigure(const Load& load, const SideRates& side) {
  Figure figure = Shown(fmt::format("{}, {}", load.name, side.side.name), load.unit);
  figure.better = Better::kHigher;
  std::vector<double> sorted = side.rates;
  std::sort(sorted.begin(), sorted.end());
  figure.value = (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
  const analysis::Moments moments = analysis::Summarize(sorted);
  figure.note = fmt::format(
      "median of {}; mean {:.0f}, sample standard deviation {:.0f} ({:.2f} %)", sorted.size(),
      moments.mean, moments.sample_stddev, 100 * moments.sample_stddev / moments.mean);
  if (side.failed > 0) figure.note += fmt::format("; {} failed: {}", side.failed, side.failure);
  figure.runs = side.rates;
  return figure;
}

Figure SlowDownFigure(const Load& load, const SideRates& bare, const SideRates& side) {
  Figure figure = Shown(fmt::format("{} slow-down {}", load.name, side.side.name), "%");
  const SlowDown slow_down = CompareRates(bare.rates, side.rates);
  figure.value = slow_down.percent;
  if (!slow_down.low_percent || !slow_down.high_percent) {
    figure.note = "too few runs for an interval" + side.missing;
    return figure;
  }
  const std::string word = fmt::format("{:.2f} % {}", std::abs(slow_down.percent),
                                       slow_down.percent > 0 ? "slower" : "faster");
  figure.note = fmt::format("95 % confidence {:+.2f} to {:+.2f} %, Mann-Whitney p {:.3g}: {}",
                            *slow_down.low_percent, *slow_down.high_percent, slow_down.p_value,
                            slow_down.Distinguishable() ? word : "not distinguishable") +
                side.missing;
  return figure;
}

std::vector<Figure> FiguresOf(const Load& load, const std::vector<SideRates>& sides) {
  std::vector<Figure> rates;
  std::vector<Figure> slow_downs;
  const SideRates& bare = sides.front();
  for (const SideRates& side : sides) {
    if (Measured(side)) rates.push_back(RateFigure(load, side));
    if (!side.side.watched) continue;
    if (Measured(side) && Measured(bare)) {
      slow_downs.push_back(SlowDownFigure(load, bare, side));
      continue;
    }
    slow_downs.push_back(Shown(fmt::format("{} slow-down {}", load.name, side.side.name), "%"));
    slow_downs.back().note = WhyNotMeasured(Measured(bare) ? side : bare);
  }
  rates.insert(rates.end(), slow_downs.begin(), slow_downs.end());
  return rates;
}

/// The side with those of its monitors that can start here; a profile is what it is there for.
SideRates Choose(const std::string& bin_dir, const Side& side) {
  SideRates chosen{.side = side};
  const auto missing = FindMissing(bin_dir, side.monitors);
  if (!missing.ok()) {
    chosen.status = missing.status();
    return chosen;
  }
  for (const MissingMonitor& monitor : *missing) {
    if (monitor.name == "perf-record")
      chosen.status = absl::FailedPreconditionError(monitor.reason);
    std::erase(chosen.side.monitors, monitor.name);
    chosen.missing += fmt::format("; without {} ({})", monitor.name, monitor.reason);
  }
  return chosen;
}

absl::StatusOr<std::vector<Figure>> MeasureLoad(const SubjectOptions& options, LoadRunner& runner,
                                                const Load& load, const HeldSignals& signals) {
  std::vector<SideRates> sides;
  for (const Side& side : Sides()) sides.push_back(Choose(options.bin_dir, side));
  std::mt19937_64 random(options.seed);
  // The first block warms up and is not counted.
  for (int block = 0; block <= options.runs; ++block) {
    fmt::print(stderr, "{}: block {} of {}\n", load.name, block, options.runs);
    const absl::Status status = RunBlock(runner, load, random, signals, block > 0, sides);
    if (!status.ok()) return status;
  }
  return FiguresOf(load, sides);
}

/// A zram device or, where the kernel has none, a file. It stays for all runs of all sides.
absl::StatusOr<std::unique_ptr<agent::RunSetup>> MakeSwap(agent::Machine& machine) {
  using Kind = agent::SwapSpec::Kind;
  absl::Status failure;
  for (const Kind kind : {Kind::kZram, Kind::kFile}) {
    agent::SetupOptions wanted;
    wanted.swap = {.kind = kind, .size_bytes = 1024 * kMiB};
    auto setup = agent::RunSetup::Make(wanted, NewUuid(), kSetupFolder, machine);
    if (setup.ok()) return setup;
    failure = setup.status();
  }
  return failure;
}

absl::StatusOr<std::vector<Figure>> MeasureSwap(const SubjectOptions& options,
                                                const HeldSignals& signals) {
  if (geteuid() != 0) return absl::PermissionDeniedError("needs root for a memory limit and swap");
  agent::Machine machine;
  agent::CleanLeftovers(kSetupFolder, machine);
  auto swap = MakeSwap(machine);
  if (!swap.ok()) return swap.status();
  LoadRunner runner(options.bin_dir, kSetupFolder);
  auto figures = MeasureLoad(options, runner, SwapLoad(), signals);
  if (absl::Status undone = (*swap)->Undo(); !undone.ok()) return undone;
  std::error_code ignored;
  std::filesystem::remove_all(kSetupFolder, ignored);
  return figures;
}

}  // namespace

absl::StatusOr<std::vector<Figure>> MeasureSlowDown(const SubjectOptions& options) {
  const HeldSignals signals;
  std::vector<Figure> figures;
  const auto add = [&figures](const Load& load, absl::StatusOr<std::vector<Figure>> measured) {
    if (measured.ok()) {
      figures.insert(figures.end(), measured->begin(), measured->end());
      return;
    }
    figures.push_back(Shown(fmt::format("{} slow-down", load.name), "%"));
    figures.back().note = fmt::format("not measured: {}", std::string(measured.status().message()));
  };
  {
    const ScratchFolder folder;
    LoadRunner runner(options.bin_dir, folder.path());
    add(PageFaultLoad(), MeasureLoad(options, runner, PageFaultLoad(), signals));
  }
  if (!signals.waiting()) add(SwapLoad(), MeasureSwap(options, signals));
  if (signals.waiting()) return absl::CancelledError("ended by a signal");
  return figures;
}

}  // namespace regressd::bench
