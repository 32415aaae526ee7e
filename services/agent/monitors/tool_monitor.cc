#include "services/agent/monitors/tool_monitor.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "services/agent/clean_text.h"
#include "services/agent/line_splitter.h"

namespace regressd::agent {
namespace {

constexpr std::chrono::milliseconds kStopPatience{2000};
constexpr int kMaxStarts = 2;

using Clock = std::chrono::steady_clock;

/// Reads what is there. False at the end.
template <typename OnLine>
bool ReadSome(int fd, LineSplitter* splitter, OnLine&& on_line) {
  std::array<char, 16384> buffer;
  const ssize_t got = read(fd, buffer.data(), buffer.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  if (got == 0) {
    splitter->Finish(on_line);
    return false;
  }
  splitter->Feed({buffer.data(), static_cast<std::size_t>(got)}, on_line);
  return true;
}

}  // namespace

ToolMonitor::ToolMonitor(MonitorSettings settings) : settings_(std::move(settings)) {}

std::chrono::milliseconds ToolMonitor::Patience() const {
  return 5 * settings_.interval + std::chrono::milliseconds(5000);
}

void ToolMonitor::Start(SampleSink& sink) {
  sink_ = &sink;
  thread_ = std::jthread([this] { Run(); });
}

void ToolMonitor::RequestStop() { stop_.Set(); }

void ToolMonitor::Stop() {
  stop_.Set();
  if (thread_.joinable()) thread_.join();
}

void ToolMonitor::Run() {
  for (int start = 1; start <= kMaxStarts; ++start) {
    std::string why;
    if (RunOnce(&why) || IsOver()) return;
    sink_->AddNote(name(),
                   fmt::format("{}, {}", why, start < kMaxStarts ? "started again" : "given up"));
  }
}

bool ToolMonitor::RunOnce(std::string* why) {
  absl::StatusOr<ChildProcess> child = ChildProcess::Start(
      {.arguments = Command(), .environment = {{"LC_ALL", "C"}, {"TZ", "UTC"}}});
  if (!child.ok()) {
    *why = std::string(child.status().message());
    return false;
  }
  Begin();
  LineSplitter out_lines;
  LineSplitter err_lines;
  std::string last_complaint;
  bool stopping = false;
  Clock::time_point stop_by;
  bool hung = false;
  std::array<pollfd, 3> polled = {pollfd{.fd = child->out().get(), .events = POLLIN, .revents = 0},
                                  pollfd{.fd = child->err().get(), .events = POLLIN, .revents = 0},
                                  pollfd{.fd = stop_.fd(), .events = POLLIN, .revents = 0}};
  while (polled[0].fd >= 0) {
    // Once it was told to stop, lines are no excuse for going on.
    const std::chrono::milliseconds patience =
        stopping ? std::chrono::ceil<std::chrono::milliseconds>(stop_by - Clock::now())
                 : Patience();
    const int ready = poll(polled.data(), polled.size(),
                           static_cast<int>(std::max<std::int64_t>(patience.count(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 || (stopping && Clock::now() >= stop_by)) {
      hung = true;
      break;
    }
    if (polled[2].fd >= 0 && polled[2].revents != 0) {
      stopping = true;
      stop_by = Clock::now() + kStopPatience;
      polled[2].fd = -1;
      child->Signal(SIGINT);
    }
    if (polled[0].revents != 0 && !ReadSome(polled[0].fd, &out_lines, [&](std::string_view line) {
          TakeLine(line, settings_.clock.Now());
        })) {
      polled[0].fd = -1;
    }
    if (polled[1].fd >= 0 && polled[1].revents != 0 &&
        !ReadSome(polled[1].fd, &err_lines, [&](std::string_view line) {
          if (!line.empty()) last_complaint = CleanText(line, 512);
        })) {
      polled[1].fd = -1;
    }
  }
  const ChildExit end = child->WaitOrKill(hung ? std::chrono::milliseconds(0) : kStopPatience);
  End(stopping);
  if (stopping) {
    if (hung) sink_->AddNote(name(), "did not stop when asked to, killed");
    return true;
  }
  *why = hung ? fmt::format("silent for {} ms, killed", Patience().count())
              : fmt::format("ended with {}", end.Describe());
  if (!last_complaint.empty()) *why += fmt::format(" (\"{}\")", last_complaint);
  return false;
}

}  // namespace regressd::agent
