#include "services/agent/monitors/perf_lock_monitor.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "services/agent/child_process.h"
#include "services/agent/monitors/perf_events.h"
#include "services/agent/private_directory.h"
#include "services/parse/perf_lock.h"

namespace regressd::agent {
namespace {

// Recording slows the lock down that is watched, so it is on for a short part of the time.
constexpr std::chrono::milliseconds kRecording{1000};
constexpr std::chrono::milliseconds kPatience{30000};
constexpr int kMaxFailures = 2;
constexpr std::size_t kNotedFunctions = 5;
constexpr double kDecimals = 0.01;

std::vector<std::string> RecordCommand(const std::filesystem::path& file,
                                       std::vector<std::string> command) {
  std::vector<std::string> arguments = {"perf", "lock", "record",      "-q",
                                        "-a",   "-o",   file.string(), "--"};
  arguments.insert(arguments.end(), command.begin(), command.end());
  return arguments;
}

}  // namespace

PerfLockMonitor::PerfLockMonitor(MonitorSettings settings, std::filesystem::path tracefs)
    : settings_(std::move(settings)), tracefs_(std::move(tracefs)) {}

PerfLockMonitor::~PerfLockMonitor() { Stop(); }

absl::Status PerfLockMonitor::Probe() {
  const absl::StatusOr<CapturedOutput> help =
      Capture({"perf", "lock", "contention", "-h"}, kPatience);
  if (absl::IsNotFound(help.status())) {
    return absl::NotFoundError("no perf in PATH; install linux-perf");
  }
  if (!help.ok()) return help.status();
  if (help->text.find("perf lock contention") == std::string::npos) {
    return absl::UnavailableError("this perf has no \"lock contention\"; take perf 6.1 or newer");
  }
  int id = 0;
  if (!(std::ifstream(tracefs_ / "events/lock/contention_begin/id") >> id)) {
    return absl::UnavailableError(fmt::format(
        "{}/events/lock/contention_begin cannot be read: needs root, and Linux 5.19 or newer",
        tracefs_.string()));
  }
  const absl::StatusOr<PrivateDirectory> directory = PrivateDirectory::Create();
  if (!directory.ok()) return directory.status();
  const absl::StatusOr<CapturedOutput> output =
      Capture(RecordCommand(directory->path() / "probe.data", {"true"}), kPatience);
  if (!output.ok()) return output.status();
  if (output->exit.exit_status != 0) return PerfRefusal(output->text);
  return absl::OkStatus();
}

void PerfLockMonitor::Start(SampleSink& sink) {
  sink_ = &sink;
  clock_ =
      std::make_unique<Ticker>(std::max(settings_.profile_window, 2 * kRecording), settings_.clock);
  table_ = std::make_unique<ColumnTable>(
      model::Source{.source_id = kPerfLockSource,
                    .name = "perf-lock",
                    .content = model::SourceContent::kIntSamples,
                    .metrics = {},
                    .period_us = std::chrono::microseconds(settings_.profile_window).count()});
  thread_ = std::jthread([this] { Run(); });
}

void PerfLockMonitor::Run() {
  int failure_count = 0;
  do {
    std::string why;
    if (!RecordWindow(&why)) {
      const bool over = ++failure_count >= kMaxFailures;
      sink_->AddNote(name(), fmt::format("{}, {}", why, over ? "given up" : "tried again"));
      if (over) break;
    }
  } while (clock_->Wait(stop_));
  NoteWorst();
}

bool PerfLockMonitor::RecordWindow(std::string* why) {
  const std::filesystem::path file = settings_.work_directory / "locks.data";
  const std::chrono::duration<double> wanted = kRecording;
  const auto begin = std::chrono::steady_clock::now();
  absl::StatusOr<ChildProcess> perf = ChildProcess::Start(
      {.arguments = RecordCommand(file, {"sleep", fmt::format("{:.3f}", wanted.count())}),
       .environment = {{"LC_ALL", "C"}},
       .pipe_stdout = false,
       .pipe_stderr = false});
  if (!perf.ok()) {
    *why = std::string(perf.status().message());
    return false;
  }
  std::array<pollfd, 2> polled = {pollfd{.fd = perf->exit_fd(), .events = POLLIN, .revents = 0},
                                  pollfd{.fd = stop_.fd(), .events = POLLIN, .revents = 0}};
  poll(polled.data(), polled.size(), static_cast<int>((kRecording + kPatience).count()));
  const bool stopped = polled[1].revents != 0;
  if (polled[0].revents == 0) perf->Signal(SIGINT);
  const std::chrono::duration<double> recorded = std::chrono::steady_clock::now() - begin;
  const ChildExit end = perf->WaitOrKill(std::chrono::milliseconds(5000));
  std::error_code ignored;
  if (end.exit_status != 0 && end.term_signal != SIGINT) {
    std::filesystem::remove(file, ignored);
    *why = fmt::format("perf lock record ended with {}", end.Describe());
    return stopped;
  }
  const absl::StatusOr<CapturedOutput> table =
      Capture({"nice", "-n", "19", "perf", "lock", "contention", "-i", file.string()}, kPatience);
  std::filesystem::remove(file, ignored);
  if (!table.ok() || table->exit.exit_status != 0) {
    *why = fmt::format("perf lock contention ended with {}",
                       table.ok() ? table->exit.Describe() : std::string(table.status().message()));
    return stopped;
  }
  TakeTable(table->text, std::min(recorded, wanted).count());
  return true;
}

void PerfLockMonitor::TakeTable(const std::string& text, double seconds) {
  struct Waits {
    double contended = 0;
    double total_us = 0;
  };
  std::map<std::string_view, Waits> by_lock;
  for (const parse::LockContention& place : parse::ParseLockContention(text).places) {
    Waits& waits = by_lock[parse::LockOf(place.function)];
    waits.contended += static_cast<double>(place.contended_count);
    waits.total_us += place.total_wait_us;
    wait_us_by_function_[place.function] += place.total_wait_us;
  }
  table_->BeginRow();
  // Each lock in each window: one that nobody waited for has been measured as 0.
  for (const std::string_view lock : parse::LockNames()) {
    const Waits& waits = by_lock[lock];
    const auto set = [&](const char* what, double value) {
      table_->Set(fmt::format("perf-lock.contention.{}.{}", lock, what),
                  std::llround(value / seconds / kDecimals), kDecimals);
    };
    set("contended", waits.contended);
    set("total_wait", waits.total_us);
  }
  if (table_->TakeGrown()) sink_->Declare(table_->source());
  sink_->AddRow(kPerfLockSource, table_->TakeRow(clock_->Now()));
}

void PerfLockMonitor::NoteWorst() {
  std::vector<std::pair<double, std::string>> worst;
  for (const auto& [function, wait_us] : wait_us_by_function_)
    worst.emplace_back(wait_us, function);
  std::sort(worst.rbegin(), worst.rend());
  worst.resize(std::min(worst.size(), kNotedFunctions));
  std::string text;
  for (const auto& [wait_us, function] : worst) {
    text += fmt::format("{}{} {:.0f} us", text.empty() ? "" : ", ", function, wait_us);
  }
  if (!text.empty()) sink_->AddNote(name(), "longest waits in: " + text);
}

void PerfLockMonitor::RequestStop() { stop_.Set(); }

void PerfLockMonitor::Stop() {
  stop_.Set();
  if (thread_.joinable()) thread_.join();
}

}  // namespace regressd::agent
