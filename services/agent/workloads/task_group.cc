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
  Group(const TaskGroupOptions& options,
        const std::function<void(TaskSlot&, const std::atomic<bool>&)>& body)
      : options_(options), body_(body), memory_(options.task_count), cpus_(AllowedCpus()) {}

  ~Group() {
    if (memory_.valid()) memory_.shared().stop = true;
    for (const pid_t pid : processes_) kill(pid, SIGKILL);
    WaitForProcesses();
  }

  absl::StatusOr<GroupMeasure> Measure() {
    if (!memory_.valid()) {
      return absl::UnavailableError(fmt::format("cannot map memory: {}", std::strerror(errno)));
    }
    if (absl::Status status = StartTasks(); !status.ok()) return status;
    GroupMeasure measure;
    measure.tasks.resize(static_cast<std::size_t>(options_.task_count));
    memory_.shared().start = true;
    std::this_thread::sleep_for(options_.warm_up);
    const Clock::time_point begin = Clock::now();
    for (int i = 0; i < options_.task_count; ++i) {
      Of(measure, i).window_operations = -memory_.slot(i).operation_count.load();
    }
    std::this_thread::sleep_until(begin + options_.runtime);
    for (int i = 0; i < options_.task_count; ++i) {
      Of(measure, i).window_operations += memory_.slot(i).operation_count.load();
    }
    measure.window_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    memory_.shared().stop = true;
    if (absl::Status status = Join(); !status.ok()) return status;
    for (int i = 0; i < options_.task_count; ++i) {
      const TaskSlot& slot = memory_.slot(i);
      if (slot.error != 0) {
        return absl::InternalError(fmt::format("task {}: {}", i, std::strerror(slot.error)));
      }
      Of(measure, i).total_operations = slot.operation_count;
      Of(measure, i).minor_faults = slot.minor_fault_count;
    }
    return measure;
  }

 private:
  static TaskMeasure& Of(GroupMeasure& measure, int i) {
    return measure.tasks[static_cast<std::size_t>(i)];
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
        memory_.shared().stop = true;
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
      if (!processes_.empty() && waitpid(-1, nullptr, WNOHANG) > 0) {
        return absl::UnavailableError("a task died while it started");
      }
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return absl::OkStatus();
  }

  void RunTask(int i) {
    if (options_.pin && !cpus_.empty()) {
      PinTo(cpus_[static_cast<std::size_t>(i) % cpus_.size()]);
    }
    Shared& shared = memory_.shared();
    ++shared.ready_count;
    while (!shared.start && !shared.stop) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    const std::int64_t faults_before = MinorFaults(options_.threads);
    TaskSlot& slot = memory_.slot(i);
    body_(slot, shared.stop);
    slot.minor_fault_count = MinorFaults(options_.threads) - faults_before;
  }

  absl::Status Join() {
    threads_.clear();
    if (WaitForProcesses()) return absl::OkStatus();
    return absl::UnavailableError("a task was killed (out of memory?)");
  }

  bool WaitForProcesses() {
    bool all_well = true;
    for (const pid_t pid : processes_) {
      int wait_status = 0;
      while (waitpid(pid, &wait_status, 0) < 0 && errno == EINTR) {
      }
      all_well = all_well && WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0;
    }
    processes_.clear();
    return all_well;
  }

  const TaskGroupOptions& options_;
  const std::function<void(TaskSlot&, const std::atomic<bool>&)>& body_;
  SharedMemory memory_;
  const std::vector<int> cpus_;
  std::vector<pid_t> processes_;
  std::vector<std::jthread> threads_;
};

}  // namespace

absl::StatusOr<GroupMeasure> MeasureTasks(
    const TaskGroupOptions& options,
    const std::function<void(TaskSlot& slot, const std::atomic<bool>& stop)>& body) {
  if (options.task_count < 1 || options.task_count > 65536) {
    return absl::InvalidArgumentError(
        fmt::format("{} tasks; 1 to 65536 can be run", options.task_count));
  }
  return Group(options, body).Measure();
}

}  // namespace regressd::agent
