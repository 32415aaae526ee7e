#include "services/agent/command_runner.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <optional>

#include "services/agent/clean_text.h"
#include "services/agent/line_splitter.h"
#include "services/agent/read_file.h"

namespace regressd::agent {
namespace {

constexpr std::size_t kTailLineCount = 20;
constexpr std::size_t kTailLineBytes = 1024;
constexpr std::chrono::seconds kGrace{10};
constexpr int kMaxReadsPerTurn = 64;

using Clock = std::chrono::steady_clock;

/// Passes bytes on; a reader that went away is no reason to stop the command.
void WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

class OutputTail {
 public:
  void Add(std::string_view line) {
    lines_.push_back(CleanText(line, kTailLineBytes));
    if (lines_.size() > kTailLineCount) lines_.pop_front();
  }
  std::vector<std::string> lines() const { return {lines_.begin(), lines_.end()}; }

 private:
  std::deque<std::string> lines_;
};

/// One of the command's two outputs.
struct Stream {
  int read_fd = -1;  ///< -1 once it is closed.
  int pass_to = -1;
  LineSplitter splitter;
};

/// The state of one running command.
class Running {
 public:
  /// `start` is when its process was about to be made: a short command runs while we set up.
  Running(const CommandOptions& options, Clock::time_point start, ChildProcess child,
          TerminationSignal& termination,
          const std::function<void(std::string_view)>& on_stdout_line)
      : start_(start),
        options_(options),
        child_(std::move(child)),
        termination_(termination),
        on_stdout_line_(on_stdout_line) {
    out_.read_fd = child_.out().get();
    out_.pass_to = options.stdout_to_stderr ? STDERR_FILENO : STDOUT_FILENO;
    err_.read_fd = child_.err().get();
    err_.pass_to = STDERR_FILENO;
    fcntl(out_.read_fd, F_SETFL, O_NONBLOCK);
    fcntl(err_.read_fd, F_SETFL, O_NONBLOCK);
    if (options.timeout.count() > 0) timeout_at_ = start_ + options.timeout;
  }

  void Run(CommandResult* result) {
    while (!WaitForSomething()) {
      HandleSignal(result);
      HandleTime(result);
      Drain(out_);
      Drain(err_);
    }
    result->elapsed = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start_);
    result->end_time = options_.clock.Now();
    // Its process id stays taken until it is waited for, so the group's number cannot be another's.
    child_.Signal(SIGKILL);
    if (!options_.marker.empty()) KillMarked(options_.marker);
    Drain(out_);
    Drain(err_);
    out_.splitter.Finish([&](std::string_view line) { TakeLine(out_, line); });
    err_.splitter.Finish([&](std::string_view line) { TakeLine(err_, line); });
    result->exit = child_.WaitOrKill(std::chrono::seconds(1));
    result->last_output_lines = tail_.lines();
  }

 private:
  /// True when the command has ended.
  bool WaitForSomething() {
    std::array<pollfd, 4> polled = {pollfd{.fd = child_.exit_fd(), .events = POLLIN, .revents = 0},
                                    pollfd{.fd = termination_.fd(), .events = POLLIN, .revents = 0},
                                    pollfd{.fd = out_.read_fd, .events = POLLIN, .revents = 0},
                                    pollfd{.fd = err_.read_fd, .events = POLLIN, .revents = 0}};
    int wait_ms = -1;
    const std::optional<Clock::time_point> next = kill_at_ ? kill_at_ : timeout_at_;
    if (next) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now());
      wait_ms = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
    }
    poll(polled.data(), polled.size(), wait_ms);
    return (polled[0].revents & POLLIN) != 0;
  }

  void HandleSignal(CommandResult* result) {
    const int signal_number = termination_.Take();
    if (signal_number == 0) return;
    if (result->failure.empty()) {
      result->failure =
          fmt::format("interrupted by signal {} ({})", signal_number, strsignal(signal_number));
    }
    if (kill_at_) {
      child_.Signal(SIGKILL);
      return;
    }
    child_.Signal(signal_number);
    kill_at_ = Clock::now() + kGrace;
  }

  void HandleTime(CommandResult* result) {
    const Clock::time_point now = Clock::now();
    if (kill_at_ && now >= *kill_at_) {
      child_.Signal(SIGKILL);
      kill_at_ = now + kGrace;
      return;
    }
    if (kill_at_ || !timeout_at_ || now < *timeout_at_) return;
    result->failure =
        fmt::format("timeout after {} s", std::chrono::duration<double>(options_.timeout).count());
    child_.Signal(SIGTERM);
    kill_at_ = now + kGrace;
  }

  void Drain(Stream& stream) {
    std::array<char, 16384> buffer;
    // Bounded, so that a command that never stops printing cannot keep signals and time waiting.
    for (int i = 0; i < kMaxReadsPerTurn && stream.read_fd >= 0; ++i) {
      const ssize_t got = read(stream.read_fd, buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return;
      if (got <= 0) {
        stream.read_fd = -1;
        return;
      }
      const std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
      WriteAll(stream.pass_to, bytes);
      stream.splitter.Feed(bytes, [&](std::string_view line) { TakeLine(stream, line); });
    }
  }

  void TakeLine(const Stream& stream, std::string_view line) {
    tail_.Add(line);
    if (&stream == &out_) {
      on_stdout_line_(line);
    } else if (options_.on_stderr_line) {
      options_.on_stderr_line(line);
    }
  }

  const Clock::time_point start_;
  const CommandOptions& options_;
  ChildProcess child_;
  TerminationSignal& termination_;
  const std::function<void(std::string_view)>& on_stdout_line_;
  Stream out_;
  Stream err_;
  OutputTail tail_;
  std::optional<Clock::time_point> timeout_at_;
  std::optional<Clock::time_point> kill_at_;
};

bool EnvironmentHolds(const std::string& pid, std::string_view marker) {
  std::string text = ReadFile("/proc/" + pid + "/environ").value_or("");
  // Entries end in NUL.
  text.insert(text.begin(), '\0');
  std::string wanted(1, '\0');
  wanted.append(marker).push_back('\0');
  return text.find(wanted) != std::string::npos;
}

}  // namespace

std::string RunMarker(std::string_view run_uuid) {
  return fmt::format("{}={}", kRunVariable, run_uuid);
}

int KillMarked(std::string_view marker) {
  int killed = 0;
  DIR* processes = opendir("/proc");
  if (processes == nullptr) return 0;
  while (const dirent* entry = readdir(processes)) {
    const std::string name = entry->d_name;
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (!EnvironmentHolds(name, marker)) continue;
    if (kill(std::stoi(name), SIGKILL) == 0) ++killed;
  }
  closedir(processes);
  return killed;
}

CommandResult RunCommand(const CommandOptions& options, TerminationSignal& termination,
                         const std::function<void(std::string_view)>& on_stdout_line,
                         const std::function<void(pid_t)>& on_started) {
  CommandResult result;
  result.start_time = options.clock.Now();
  const Clock::time_point start = Clock::now();
  // A group in the background of a terminal is stopped when it reads from it.
  absl::StatusOr<ChildProcess> child =
      ChildProcess::Start({.arguments = options.arguments,
                           .environment = options.environment,
                           .inherit_stdin = isatty(STDIN_FILENO) == 0,
                           .cgroup_directory = options.cgroup_directory});
  if (child.ok()) {
    on_started(child->pid());
    Running(options, start, *std::move(child), termination, on_stdout_line).Run(&result);
  } else {
    result.exit.exit_status = -1;
    result.failure = fmt::format("could not start: {}", std::string(child.status().message()));
    result.end_time = result.start_time;
  }
  return result;
}

}  // namespace regressd::agent
