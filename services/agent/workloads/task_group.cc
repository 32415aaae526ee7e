#include "services/agent/workloads/task_group.h"

#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <utility>

namespace regressd::agent {
namespace {

using Clock = std::chrono::steady_clock;

/// Lives in memory that processes share.
struct Shared {
  std::atomic<int> ready_count{0};
  std::atomic<bool> start{false};
  std::atomic<bool> stop{false};
};

class SharedMemory {
 public:
  explicit SharedMemory(int task_count)
      : size_(sizeof(Shared) + alignof(TaskSlot) +
              sizeof(TaskSlot) * static_cast<std::size_t>(task_count)),
        memory_(mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (!valid()) return;
    shared_ = new (memory_) Shared;
    void* slots = static_cast<char*>(memory_) + sizeof(Shared);
    std::size_t left = size_ - sizeof(Shared);
    slots = std::align(alignof(TaskSlot), sizeof(TaskSlot), slots, left);
    slots_ = static_cast<TaskSlot*>(slots);
    for (int i = 0; i < task_count; ++i) new (slots_ + i) TaskSlot;
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory() {
    if (valid()) munmap(memory_, size_);
  }

  bool valid() const { return memory_ != MAP_FAILED; }
  Shared& shared() { return *shared_; }
  TaskSlot& slot(int i) { return slots_[i]; }

 private:
  std::size_t size_;
  void* memory_;
  Shared* shared_ = nullptr;
  TaskSlot* slots_ = nullptr;
};

std::vector<int> AllowedCpus() {
  std::vector<int> cpus;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

void PinTo(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

std::int64_t MinorFaults(bool of_thread) {
  rusage usage = {};
  getrusage(of_thread ? RUSAGE_THREAD : RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

/// One group from start to end.
class Group {
 public:
  Group(const TaskGroupOptions& options, const TaskFactory& factory)
      : options_(options),
        factory_(factory),
        memory_(options.task_count),
        cpus_(AllowedCpus()),
        measure_{.window_seconds = 0, .tasks = {}} {
    measure_.tasks.resize(static_cast<std::size_t>(options.task_count));
  }

  ~Group() {
    if (memory_.valid()) memory_.shared().stop = true;
    for (const pid_t pid : processes_) kill(pid, SIGKILL);
    for (const pid_t pid : processes_) waitpid(pid, nullptr, 0);
  }

  absl::StatusOr<GroupMeasure> Measure() {
    if (absl::Status status = Start(); !status.ok()) return status;
    std::this_thread::sleep_for(options_.warm_up);
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < options_.task_count; ++i) {
      Of(i).window_operations = -memory_.slot(i).operation_count.load();
    }
    std::this_thread::sleep_until(begin + options_.runtime);
    for (int i = 0; i < options_.task_count; ++i) {
      Of(i).window_operations += memory_.slot(i).operation_count.load();
    }
    measure_.window_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (absl::Status status = End(); !status.ok()) return status;
    return std::move(measure_);
  }

  absl::StatusOr<GroupMeasure> Complete() {
    if (absl::Status status = Start(); !status.ok()) return status;
    const Clock::time_point begin = Clock::now();
    const Clock::time_point deadline = begin + options_.runtime;
    // Short enough to be lost in what takes seconds, long enough to take no CPU from the tasks.
    while (!AllWorked() && Clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      if (absl::Status status = ReapEarly(); !status.ok()) return status;
    }
    if (absl::Status status = End(); !status.ok()) return status;
    measure_.window_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    for (TaskMeasure& task : measure_.tasks) task.window_operations = task.total_operations;
    return std::move(measure_);
  }

 private:
  TaskMeasure& Of(int i) { return measure_.tasks[static_cast<std::size_t>(i)]; }

  absl::Status Start() {
    if (!memory_.valid()) {
      return absl::UnavailableError(fmt::format("cannot map memory: {}", std::strerror(errno)));
    }
    if (absl::Status status = StartTasks(); !status.ok()) return status;
    if (absl::Status status = TaskErrors("prepare"); !status.ok()) return status;
    options_.at_start();
    memory_.shared().start = true;
    return absl::OkStatus();
  }

  absl::Status StartTasks() {
    for (int i = 0; i < options_.task_count; ++i) {
      if (options_.threads) {
        threads_.emplace_back([this, i] { RunTask(i); });
        continue;
      }
      const pid_t parent = getpid();
      const pid_t pid = fork();
      if (pid < 0) {
        return absl::UnavailableError(fmt::format("cannot fork: {}", std::strerror(errno)));
      }
      if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent) RunTask(i);
        _exit(0);
      }
      processes_.push_back(pid);
    }
    // All begin at once. A task that died before this point ends the wait.
    while (memory_.shared().ready_count < options_.task_count) {
      if (absl::Status status = ReapEarly(); !status.ok()) return status;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return absl::OkStatus();
  }

  void RunTask(int i) {
    if (options_.pin && !cpus_.empty()) {
      PinTo(cpus_[static_cast<std::size_t>(i) % cpus_.size()]);
    }
    Shared& shared = memory_.shared();
    TaskSlot& slot = memory_.slot(i);
    const std::unique_ptr<Task> task = factory_(i);
    slot.error = task->Prepare();
    ++shared.ready_count;
    while (!shared.start && !shared.stop) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    if (!shared.start) return;  // One of the tasks could not prepare.
    const std::int64_t faults_before = MinorFaults(options_.threads);
    const Clock::time_point begin = Clock::now();
    task->Work(slot, shared.stop);
    slot.work_ns = std::chrono::nanoseconds(Clock::now() - begin).count();
    slot.minor_fault_count = MinorFaults(options_.threads) - faults_before;
    slot.worked = true;
    while (!shared.stop) std::this_thread::sleep_for(std::chrono::microseconds(200));
    const Clock::time_point release = Clock::now();
    task->Release();
    slot.release_ns = std::chrono::nanoseconds(Clock::now() - release).count();
  }

  bool AllWorked() {
    for (int i = 0; i < options_.task_count; ++i) {
      if (!memory_.slot(i).worked) return false;
    }
    return true;
  }

  absl::Status TaskErrors(const char* doing) {
    for (int i = 0; i < options_.task_count; ++i) {
      if (const int error = memory_.slot(i).error; error != 0) {
        return absl::InternalError(
            fmt::format("task {} cannot {}: {}", i, doing, std::strerror(error)));
      }
    }
    return absl::OkStatus();
  }

  absl::Status End() {
    memory_.shared().stop = true;
    threads_.clear();
    while (!processes_.empty()) {
      if (absl::Status status = Reap(0); !status.ok()) return status;
    }
    if (absl::Status status = TaskErrors("work"); !status.ok()) return status;
    for (int i = 0; i < options_.task_count; ++i) {
      const TaskSlot& slot = memory_.slot(i);
      Of(i).total_operations = slot.operation_count;
      Of(i).minor_faults = slot.minor_fault_count;
      Of(i).work_seconds = static_cast<double>(slot.work_ns.load()) * 1e-9;
      Of(i).release_seconds = static_cast<double>(slot.release_ns.load()) * 1e-9;
    }
    return absl::OkStatus();
  }

  /// Takes the ends that have come; one that came without the task's own end is an error.
  absl::Status ReapEarly() { return processes_.empty() ? absl::OkStatus() : Reap(WNOHANG); }

  absl::Status Reap(int flags) {
    int wait_status = 0;
    const pid_t pid = waitpid(-1, &wait_status, flags);
    if (pid <= 0) {
      if (pid < 0 && errno == ECHILD) processes_.clear();
      return absl::OkStatus();
    }
    if (std::erase(processes_, pid) == 0 ||
        (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0)) {
      return absl::OkStatus();
    }
    if (!WIFSIGNALED(wait_status)) return absl::UnavailableError("a task died");
    const int signal_number = WTERMSIG(wait_status);
    const char* reason = signal_number == SIGKILL  ? "; was memory out?"
                         : signal_number == SIGBUS ? "; is the file system full?"
                                                   : "";
    return absl::UnavailableError(fmt::format("a task was killed by signal {} ({}){}",
                                              signal_number, strsignal(signal_number), reason));
  }

  const TaskGroupOptions& options_;
  const TaskFactory& factory_;
  SharedMemory memory_;
  const std::vector<int> cpus_;
  GroupMeasure measure_;
  std::vector<pid_t> processes_;
  std::vector<std::jthread> threads_;
};

absl::Status CheckCount(const TaskGroupOptions& options) {
  if (options.task_count >= 1 && options.task_count <= 65536) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("{} tasks; 1 to 65536 can be run", options.task_count));
}

}  // namespace

absl::StatusOr<GroupMeasure> MeasureTasks(const TaskGroupOptions& options,
                                          const TaskFactory& factory) {
  if (absl::Status status = CheckCount(options); !status.ok()) return status;
  return Group(options, factory).Measure();
}

absl::StatusOr<GroupMeasure> CompleteTasks(const TaskGroupOptions& options,
                                           const TaskFactory& factory) {
  if (absl::Status status = CheckCount(options); !status.ok()) return status;
  return Group(options, factory).Complete();
}

}  // namespace regressd::agent
