#include "services/agent/workloads/task_group.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

namespace regressd::agent {
namespace {

/// Counts to `total` and ends, or goes on until told to stop when it is 0.
class Counting : public Task {
 public:
  explicit Counting(std::int64_t total) : total_(total) {}
  void Work(TaskSlot& slot, const std::atomic<bool>& stop) override {
    while (!stop && (total_ == 0 || slot.operation_count < total_)) ++slot.operation_count;
  }

 private:
  std::int64_t total_;
};

class Unprepared : public Task {
 public:
  explicit Unprepared(int error) : error_(error) {}
  int Prepare() override { return error_; }
  void Work(TaskSlot& slot, const std::atomic<bool>&) override { slot.operation_count = 1; }

 private:
  int error_;
};

class Killed : public Task {
 public:
  explicit Killed(int signal_number) : signal_number_(signal_number) {}
  void Work(TaskSlot&, const std::atomic<bool>&) override { kill(getpid(), signal_number_); }

 private:
  int signal_number_;
};

class TaskGroupTest : public ::testing::TestWithParam<bool> {};

TEST_P(TaskGroupTest, TasksThatEndAreAllCountedToTheirEnd) {
  bool started = false;
  const auto measure = CompleteTasks({.task_count = 3,
                                      .threads = GetParam(),
                                      .runtime = std::chrono::hours(1),
                                      .at_start = [&] { started = true; }},
                                     [](int i) { return std::make_unique<Counting>(100 + i); });
  ASSERT_TRUE(measure.ok()) << measure.status();
  ASSERT_EQ(measure->tasks.size(), 3u);
  EXPECT_TRUE(started);
  for (int i = 0; i < 3; ++i) {
    const TaskMeasure& task = measure->tasks[static_cast<std::size_t>(i)];
    EXPECT_EQ(task.total_operations, 100 + i);
    EXPECT_EQ(task.window_operations, 100 + i);
    EXPECT_GT(task.work_seconds, 0);
    EXPECT_LE(task.work_seconds, measure->window_seconds);
  }
}

TEST_P(TaskGroupTest, TasksThatDoNotEndAreStoppedAfterTheRuntime) {
  const auto measure = CompleteTasks(
      {.task_count = 2, .threads = GetParam(), .runtime = std::chrono::milliseconds(50)},
      [](int) { return std::make_unique<Counting>(0); });
  ASSERT_TRUE(measure.ok()) << measure.status();
  EXPECT_GE(measure->window_seconds, 0.05);
  EXPECT_GT(measure->tasks[0].total_operations, 0);
}

TEST_P(TaskGroupTest, OneTaskThatCannotPrepareEndsAllBeforeAnyWorks) {
  bool started = false;
  const absl::Status status =
      CompleteTasks({.task_count = 3,
                     .threads = GetParam(),
                     .runtime = std::chrono::hours(1),
                     .at_start = [&] { started = true; }},
                    [](int i) { return std::make_unique<Unprepared>(i == 1 ? ENOSPC : 0); })
          .status();
  EXPECT_EQ(std::string(status.message()), "task 1 cannot prepare: No space left on device");
  EXPECT_FALSE(started);
}

INSTANTIATE_TEST_SUITE_P(ProcessesAndThreads, TaskGroupTest, ::testing::Bool());

TEST(TaskGroupTest, AKilledProcessEndsTheGroupAtOnceAndIsNamed) {
  const absl::Status killed = CompleteTasks({.task_count = 2, .runtime = std::chrono::hours(1)},
                                            [](int i) -> std::unique_ptr<Task> {
                                              if (i == 0) return std::make_unique<Counting>(0);
                                              return std::make_unique<Killed>(SIGKILL);
                                            })
                                  .status();
  EXPECT_TRUE(absl::IsUnavailable(killed));
  EXPECT_EQ(std::string(killed.message()),
            "a task was killed by signal 9 (Killed); was memory out?");
}

}  // namespace
}  // namespace regressd::agent
