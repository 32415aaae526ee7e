#include "services/agent/monitors/perf_record_monitor.h"

#include <dirent.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "services/agent/child_process.h"
#include "services/agent/line_splitter.h"
#include "services/agent/monitors/perf_events.h"
#include "services/agent/private_directory.h"
#include "services/agent/read_file.h"
#include "services/agent/stack_folder.h"
#include "services/model/catalog.h"
#include "services/parse/text.h"

namespace regressd::agent {
namespace {

constexpr std::size_t kMaxWaitingWindows = 4;
constexpr std::chrono::milliseconds kProbePatience{15000};
constexpr std::chrono::milliseconds kStopPatience{5000};
constexpr std::chrono::milliseconds kFoldPatience{120000};
constexpr std::chrono::milliseconds kRetryDistance{200};
constexpr int kLowestPriority = 19;
constexpr int kMaxFailures = 2;

using Clock = std::chrono::steady_clock;

/// Process group of a process, from the fields behind its name in /proc/PID/stat.
pid_t GroupOf(const std::string& pid) {
  const std::string text = ReadFile("/proc/" + pid + "/stat").value_or("");
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::vector<std::string_view> words;
  parse::SplitWords(std::string_view(text).substr(name_end + 1), &words);
  if (words.size() < 3) return 0;
  return static_cast<pid_t>(parse::ToInt(words[2]).value_or(0));
}

/// The event that a recording really holds: without a PMU perf takes another than it was asked for.
std::optional<std::string> RecordedEvent(const std::filesystem::path& file) {
  const absl::StatusOr<CapturedOutput> output =
      Capture({"perf", "evlist", "-i", file.string()}, kProbePatience);
  if (!output.ok() || output->exit.exit_status != 0) return std::nullopt;
  std::string_view rest = output->text;
  std::string_view line;
  while (parse::NextLine(&rest, &line)) {
    line = parse::Trim(line);
    if (!line.empty() && !line.starts_with('#')) return std::string(line.substr(0, line.find(':')));
  }
  return std::nullopt;
}

/// True when a signal came on `stop_fd` before the time was over.
bool SleepUnless(int stop_fd, std::chrono::milliseconds time) {
  pollfd polled = {.fd = stop_fd, .events = POLLIN, .revents = 0};
  return poll(&polled, 1, static_cast<int>(time.count())) > 0;
}

/// Keeps a pipe empty and the last line of what came through it.
std::string ReadAll(int fd) {
  std::string text;
  std::array<char, 4096> buffer;
  ssize_t got = 0;
  while ((got = read(fd, buffer.data(), buffer.size())) > 0 || (got < 0 && errno == EINTR)) {
    if (got > 0 && text.size() < 64 * 1024) text.append(buffer.data(), static_cast<size_t>(got));
  }
  return text;
}

}  // namespace

PerfRecordMonitor::PerfRecordMonitor(MonitorSettings settings) : settings_(std::move(settings)) {}

PerfRecordMonitor::~PerfRecordMonitor() { Stop(); }

absl::Status PerfRecordMonitor::Probe() {
  const absl::StatusOr<PrivateDirectory> directory = PrivateDirectory::Create();
  if (!directory.ok()) return directory.status();
  struct Attempt {
    std::string event;
    bool whole_machine;
    const char* restrictions;
  };
  constexpr const char* kCommandOnly =
      "only the command's own processes in user space: perf may not look at the whole machine "
      "(kernel.perf_event_paranoid)";
  std::vector<Attempt> attempts = {
      {"cycles", true, ""}, {"cpu-clock", true, ""}, {"cpu-clock:u", false, kCommandOnly}};
  if (const std::string& event = settings_.profile_event; !event.empty()) {
    attempts = {{event, true, ""}, {event, false, kCommandOnly}};
  }
  std::string complaint;
  for (const Attempt& attempt : attempts) {
    std::vector<std::string> command = {
        "perf", "record", "-q", "-B",          "-N", "-g",
        "-F",   "99",     "-e", attempt.event, "-o", (directory->path() / "probe.data").string()};
    if (attempt.whole_machine) command.emplace_back("-a");
    command.insert(command.end(), {"--", "true"});
    const absl::StatusOr<CapturedOutput> output = Capture(std::move(command), kProbePatience);
    if (absl::IsNotFound(output.status())) {
      return absl::NotFoundError("no perf in PATH; install linux-perf");
    }
    if (!output.ok()) return output.status();
    if (output->exit.exit_status == 0) {
      event_ = RecordedEvent(directory->path() / "probe.data").value_or(attempt.event);
      whole_machine_ = attempt.whole_machine;
      restrictions_ = attempt.restrictions;
      if (settings_.profile_event.empty() && event_ != "cycles" && whole_machine_) {
        restrictions_ = "event " + event_ + ": this machine shows no PMU";
      }
      return absl::OkStatus();
    }
    complaint = output->text;
  }
  return PerfRefusal(complaint);
}

void PerfRecordMonitor::Start(SampleSink& sink) {
  sink_ = &sink;
  model::Metric metric = model::Declare("perf-profile." + event_);
  sink.Declare({.source_id = kPerfRecordSource,
                .name = "perf-record",
                .content = model::SourceContent::kStacks,
                .metrics = {metric},
                .period_us = std::chrono::microseconds(settings_.profile_window).count()});
  recorder_ = std::jthread([this] { Record(); });
  folder_ = std::jthread([this] { Fold(); });
}

void PerfRecordMonitor::RequestStop() {
  stopping_ = true;
  stop_.Set();
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

void PerfRecordMonitor::Stop() {
  RequestStop();
  if (recorder_.joinable()) recorder_.join();
  if (folder_.joinable()) folder_.join();
}

std::string PerfRecordMonitor::CommandPids() const {
  const pid_t command_pid = command_pid_;
  std::string pids;
  if (command_pid == 0) return pids;
  DIR* processes = opendir("/proc");
  if (processes == nullptr) return pids;
  while (const dirent* entry = readdir(processes)) {
    const std::string name = entry->d_name;
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (GroupOf(name) != command_pid) continue;
    if (!pids.empty()) pids += ',';
    pids += name;
  }
  closedir(processes);
  return pids;
}

std::vector<std::string> PerfRecordMonitor::RecordCommand(const std::filesystem::path& file) const {
  std::vector<std::string> command = {
      "perf", "record", "-q", "-B",
      "-N",   "-g",     "-F", fmt::format("{}", settings_.profile_frequency_hz),
      "-e",   event_,   "-o", file.string()};
  if (whole_machine_) {
    command.emplace_back("-a");
  } else {
    const std::string pids = CommandPids();
    if (pids.empty()) return {};
    command.insert(command.end(), {"-p", pids});
  }
  const std::chrono::duration<double> window = settings_.profile_window;
  command.insert(command.end(), {"--", "sleep", fmt::format("{:.3f}", window.count())});
  return command;
}

void PerfRecordMonitor::Record() {
  int failure_count = 0;
  for (int number = 0; !stopping_ && failure_count < kMaxFailures; ++number) {
    Window window;
    window.file = settings_.work_directory / fmt::format("profile-{}.data", number);
    if (!RecordWindow(&window)) {
      std::error_code ignored;
      std::filesystem::remove(window.file, ignored);
      if (!stopping_ && !SleepUnless(stop_.fd(), kRetryDistance) && whole_machine_) {
        ++failure_count;
      }
      continue;
    }
    std::unique_lock lock(mutex_);
    recorded_.push_back(std::move(window));
    changed_.notify_all();
    // A machine too busy to fold gets holes in its profile, not a full disk.
    changed_.wait(lock, [this] { return recorded_.size() < kMaxWaitingWindows || stopping_; });
  }
  if (failure_count >= kMaxFailures) sink_->AddNote(name(), "given up: two windows failed");
  const std::lock_guard lock(mutex_);
  recording_over_ = true;
  changed_.notify_all();
}

bool PerfRecordMonitor::RecordWindow(Window* window) {
  const std::vector<std::string> command = RecordCommand(window->file);
  if (command.empty()) return false;  // The command has not started, or has ended.
  window->begin_time = settings_.clock.Now();
  const Clock::time_point begin = Clock::now();
  absl::StatusOr<ChildProcess> perf = ChildProcess::Start(
      {.arguments = command, .environment = {{"LC_ALL", "C"}}, .pipe_stdout = false});
  if (!perf.ok()) {
    sink_->AddNote(name(), std::string(perf.status().message()));
    return false;
  }
  std::array<pollfd, 2> polled = {pollfd{.fd = perf->exit_fd(), .events = POLLIN, .revents = 0},
                                  pollfd{.fd = stop_.fd(), .events = POLLIN, .revents = 0}};
  const auto patience = settings_.profile_window + kStopPatience;
  const int ready = poll(polled.data(), polled.size(), static_cast<int>(patience.count()));
  if (ready <= 0 || polled[0].revents == 0) perf->Signal(SIGINT);
  window->duration = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
  const ChildExit end = perf->WaitOrKill(kStopPatience);
  const std::string complaint = ReadAll(perf->err().get());
  std::error_code error;
  const bool has_data = std::filesystem::file_size(window->file, error) > 0 && !error;
  // Told to stop, perf ends by SIGINT after it has written its file.
  if (has_data && (end.exit_status == 0 || end.term_signal == SIGINT)) return true;
  if (!stopping_ && whole_machine_) {
    sink_->AddNote(name(), fmt::format("perf record ended with {} ({})", end.Describe(),
                                       std::string(PerfRefusal(complaint).message())));
  }
  return false;
}

void PerfRecordMonitor::Fold() {
  for (;;) {
    Window window;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !recorded_.empty() || recording_over_; });
      if (recorded_.empty()) return;
      window = recorded_.front();
    }
    FoldWindow(window);
    std::error_code ignored;
    std::filesystem::remove(window.file, ignored);
    const std::lock_guard lock(mutex_);
    recorded_.pop_front();
    changed_.notify_all();
  }
}

void PerfRecordMonitor::FoldWindow(const Window& window) {
  // Inlined frames would cost a run of addr2line each.
  absl::StatusOr<ChildProcess> script = ChildProcess::Start(
      {.arguments = {"perf", "script", "--no-inline", "-i", window.file.string()},
       .environment = {{"LC_ALL", "C"}},
       .pipe_stderr = false,
       .nice = kLowestPriority});
  if (!script.ok()) {
    sink_->AddNote(name(), std::string(script.status().message()));
    return;
  }
  StackFolder folder;
  LineSplitter splitter;
  const auto take = [&folder](std::string_view line) { folder.TakeLine(line); };
  const Clock::time_point deadline = Clock::now() + kFoldPatience;
  pollfd polled = {.fd = script->out().get(), .events = POLLIN, .revents = 0};
  std::array<char, 65536> buffer;
  bool whole = false;
  while (Clock::now() < deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (poll(&polled, 1, static_cast<int>(left)) <= 0) continue;
    const ssize_t got = read(polled.fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      whole = got == 0;
      break;
    }
    splitter.Feed({buffer.data(), static_cast<std::size_t>(got)}, take);
  }
  splitter.Finish(take);
  folder.Finish(whole);
  const ChildExit end = script->WaitOrKill(std::chrono::milliseconds(whole ? 1000 : 0));
  StackWindow stacks{
      .begin_time = window.begin_time, .duration = window.duration, .counts = folder.TakeCounts()};
  if (!whole || end.exit_status != 0) {
    sink_->AddNote(name(), fmt::format("perf script ended with {}", end.Describe()));
  }
  if (!stacks.counts.empty()) sink_->AddStacks(kPerfRecordSource, stacks);
}

}  // namespace regressd::agent
