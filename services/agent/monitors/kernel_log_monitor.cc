#include "services/agent/monitors/kernel_log_monitor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "services/agent/clean_text.h"
#include "services/agent/monitors/run_cgroup.h"
#include "services/parse/kernel_log.h"

namespace regressd::agent {
namespace {

// A kernel in trouble may repeat itself without end.
constexpr std::size_t kMaxMetrics = 200;
constexpr std::size_t kMaxNotes = 20;
constexpr std::size_t kMaxNoteBytes = 240;

}  // namespace

KernelLogMonitor::KernelLogMonitor(MonitorSettings settings, std::filesystem::path device,
                                   std::filesystem::path self)
    : settings_(std::move(settings)), device_(std::move(device)), self_(std::move(self)) {}

KernelLogMonitor::~KernelLogMonitor() { Stop(); }

absl::Status KernelLogMonitor::Probe() {
  log_ = UniqueFd(open(device_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (log_.valid()) return absl::OkStatus();
  if (errno == EPERM || errno == EACCES) {
    return absl::PermissionDeniedError(
        fmt::format("{} may not be read, so out of memory and oopses go unseen; as root, or after: "
                    "sysctl kernel.dmesg_restrict=0",
                    device_.string()));
  }
  return absl::UnavailableError(fmt::format("{}: {}", device_.string(), std::strerror(errno)));
}

void KernelLogMonitor::Start(SampleSink& sink) {
  sink_ = &sink;
  table_ = std::make_unique<ColumnTable>(model::Source{.source_id = kKernelLogSource,
                                                       .name = "kernel-log",
                                                       .content = model::SourceContent::kIntSamples,
                                                       .metrics = {},
                                                       .period_us = 0});
  run_cgroup_ = RunMemoryCgroup(settings_.cgroup_directory, self_);
  // What was logged before belongs to other runs.
  lseek(log_.get(), 0, SEEK_END);
  thread_ = std::jthread([this] { Run(); });
}

void KernelLogMonitor::Run() {
  std::array<pollfd, 2> polled = {pollfd{.fd = log_.get(), .events = POLLIN, .revents = 0},
                                  pollfd{.fd = stop_.fd(), .events = POLLIN, .revents = 0}};
  for (;;) {
    if (poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) break;
    const bool stopping = (polled[1].revents & POLLIN) != 0;
    if ((stopping || polled[0].revents != 0) && !Drain()) break;
    if (stopping) break;
  }
  if (oom_is_open_) CountOom();
  if (complaint_count_ > kMaxNotes) {
    sink_->AddNote(name(), fmt::format("and {} more", complaint_count_ - kMaxNotes));
  }
}

bool KernelLogMonitor::Drain() {
  // One read is one record; the kernel's own limit of one is 8 KiB.
  std::array<char, 16384> buffer;
  for (;;) {
    const ssize_t got = read(log_.get(), buffer.data(), buffer.size());
    if (got > 0) {
      TakeRecord({buffer.data(), static_cast<std::size_t>(got)});
      continue;
    }
    if (got == 0) return false;
    if (errno == EAGAIN) return true;
    if (errno == EINTR) continue;
    if (errno == EPIPE) {
      sink_->AddNote(name(), "the kernel logged faster than could be read: some lines are lost");
      continue;
    }
    sink_->AddNote(name(), fmt::format("{}: {}, given up", device_.string(), std::strerror(errno)));
    return false;
  }
}

void KernelLogMonitor::TakeRecord(std::string_view text) {
  parse::KmsgRecord record;
  if (!parse::ParseKmsgRecord(text, &record) || !record.from_kernel) return;
  if (const std::optional<parse::OomKill> kill = parse::ReadOomKill(record.message)) {
    TakeOomKill(*kill);
  } else if (const auto complaint = parse::ReadKernelLine(record.message)) {
    TakeComplaint(record, *complaint);
  }
}

void KernelLogMonitor::TakeOomKill(const parse::OomKill& kill) {
  oom_is_open_ = false;
  cgroup_was_said_ = true;
  if (Concerns(kill, run_cgroup_)) {
    CountOom();
  } else {
    sink_->AddNote(name(), fmt::format("memory ran out in another cgroup than the run's: {}",
                                       CleanText(kill.limit_cgroup, kMaxNoteBytes)));
  }
}

void KernelLogMonitor::TakeComplaint(const parse::KmsgRecord& record,
                                     const parse::KernelComplaint& complaint) {
  if (++complaint_count_ <= kMaxNotes) {
    sink_->AddNote(name(),
                   fmt::format("[{:.6f}] {}", std::chrono::duration<double>(record.time).count(),
                               CleanText(record.message, kMaxNoteBytes)));
  }
  Count("dmesg." + complaint.id);
  switch (complaint.trouble) {
    case parse::KernelTrouble::kOom:
      // In the kernel's order: the killer is invoked, for whom, and the victim. Of many kills in a
      // short time only the last line is logged; it belongs to the others.
      if (complaint.id.starts_with("invoked_oom-killer")) {
        oom_is_open_ = true;
      } else if (complaint.id.starts_with("Out_of_memory") || oom_is_open_ || !cgroup_was_said_) {
        CountOom();
      }
      break;
    case parse::KernelTrouble::kOops:
      Count("last_state.oops");
      Count("last_state.is_incomplete_run");
      break;
    default:
      break;
  }
}

void KernelLogMonitor::CountOom() {
  oom_is_open_ = false;
  Count("last_state.OOM");
  Count("last_state.is_incomplete_run");
}

void KernelLogMonitor::Count(const std::string& metric) {
  if (counted_.size() >= kMaxMetrics || !counted_.insert(metric).second) return;
  // At once, so that it is on its way when this machine does not come back.
  table_->BeginRow();
  table_->Set(metric, 1);
  if (table_->TakeGrown()) sink_->Declare(table_->source());
  sink_->AddRow(kKernelLogSource, table_->TakeRow(settings_.clock.Now()));
}

void KernelLogMonitor::RequestStop() { stop_.Set(); }

void KernelLogMonitor::Stop() {
  stop_.Set();
  if (thread_.joinable()) thread_.join();
}

}  // namespace regressd::agent
