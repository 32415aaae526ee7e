#include "services/agent/command_runner.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "services/agent/private_directory.h"

namespace regressd::agent {
namespace {

class CommandRunnerTest : public ::testing::Test {
 protected:
  CommandResult Run(CommandOptions options) {
    return RunCommand(
        options, termination_,
        [this](std::string_view line) {
          lines_.emplace_back(line);
          if (on_line_) on_line_(line);
        },
        [this](pid_t pid) { pid_ = pid; });
  }

  CommandResult RunShell(const std::string& script) {
    return Run({.arguments = {"sh", "-c", script}});
  }

  TerminationSignal termination_;
  std::vector<std::string> lines_;
  std::function<void(std::string_view)> on_line_;
  pid_t pid_ = 0;
};

/// No such process, or one that only waits to be collected by its parent.
bool IsGone(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (!std::getline(file, text)) return true;
  return text.compare(text.rfind(')') + 2, 1, "Z") == 0;
}

/// SIGKILL is on its way; only init is told of the death of a grandchild.
void AwaitDeath(pid_t pid) {
  while (!IsGone(pid)) usleep(1000);
}

TEST_F(CommandRunnerTest, GivesTheStatusAndBothOutputs) {
  const CommandResult result = RunShell("echo one; echo two >&2; exit 3");
  EXPECT_EQ(result.exit.exit_status, 3);
  EXPECT_EQ(result.exit.term_signal, 0);
  EXPECT_TRUE(result.failed());
  EXPECT_EQ(result.failure, "");
  EXPECT_EQ(lines_, (std::vector<std::string>{"one"})) << "results come from stdout alone";
  EXPECT_EQ(result.last_output_lines.size(), 2u);
}

TEST_F(CommandRunnerTest, NamesTheSignalThatKilledIt) {
  const CommandResult result = RunShell("kill -SEGV $$");
  EXPECT_EQ(result.exit.exit_status, -1);
  EXPECT_EQ(result.exit.term_signal, SIGSEGV);
}

TEST_F(CommandRunnerTest, KeepsTheLastTwentyLines) {
  const CommandResult result =
      RunShell("i=1; while [ $i -le 50 ]; do echo line $i; i=$((i+1)); done");
  ASSERT_EQ(result.last_output_lines.size(), 20u);
  EXPECT_EQ(result.last_output_lines.front(), "line 31");
  EXPECT_EQ(result.last_output_lines.back(), "line 50");
  EXPECT_EQ(lines_.size(), 50u);
}

TEST_F(CommandRunnerTest, ALastLineWithoutEndCounts) {
  RunShell("printf 'throughput 12'");
  EXPECT_EQ(lines_, (std::vector<std::string>{"throughput 12"}));
}

TEST_F(CommandRunnerTest, SaysWhyACommandCouldNotStart) {
  const CommandResult result = Run({.arguments = {"/no/such/program"}});
  EXPECT_EQ(result.exit.exit_status, -1);
  EXPECT_EQ(result.failure,
            "could not start: cannot execute \"/no/such/program\": No such file or directory");
}

TEST_F(CommandRunnerTest, CountsTheCommandsOwnResources) {
  const CommandResult result = RunShell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done");
  const rusage& usage = result.exit.usage;
  EXPECT_GT(usage.ru_utime.tv_sec * 1'000'000 + usage.ru_utime.tv_usec, 0);
  EXPECT_GT(usage.ru_minflt, 0);
  EXPECT_GT(result.elapsed.count(), 0);
}

TEST_F(CommandRunnerTest, KillsWhatTheCommandLeftInItsGroup) {
  RunShell("sleep 1000 & echo $!");
  ASSERT_EQ(lines_.size(), 1u);
  AwaitDeath(std::stoi(lines_[0]));
}

TEST_F(CommandRunnerTest, KillsWhatLeftTheGroupByItsMarker) {
  // A daemon's way: a session of its own. It says its pid once it runs there.
  const PrivateDirectory directory = *PrivateDirectory::Create();
  const std::string file = (directory.path() / "pid").string();
  const std::string id = std::to_string(getpid());
  const CommandResult result =
      Run({.arguments = {"sh", "-c",
                         "setsid sh -c 'echo $$ > " + file + "; exec sleep 1000' & until [ -s " +
                             file + " ]; do sleep 0.01; done; cat " + file},
           .environment = {{"REGRESS_TEST_MARKER", id}},
           .marker = "REGRESS_TEST_MARKER=" + id});
  EXPECT_EQ(result.exit.exit_status, 0);
  ASSERT_EQ(lines_.size(), 1u);
  AwaitDeath(std::stoi(lines_[0]));
}

TEST_F(CommandRunnerTest, PassesASignalOnAndSaysSo) {
  on_line_ = [](std::string_view line) {
    if (line == "ready") kill(getpid(), SIGTERM);
  };
  const CommandResult result =
      RunShell("trap 'echo caught; exit 7' TERM; echo ready; while :; do sleep 0.01; done");
  EXPECT_EQ(result.exit.exit_status, 7);
  EXPECT_EQ(result.failure, "interrupted by signal 15 (Terminated)");
  EXPECT_EQ(lines_, (std::vector<std::string>{"ready", "caught"}));
  EXPECT_EQ(termination_.last(), SIGTERM);
}

TEST_F(CommandRunnerTest, ASecondSignalKillsACommandThatDoesNotListen) {
  on_line_ = [](std::string_view) { kill(getpid(), SIGINT); };
  const CommandResult result =
      RunShell("trap 'echo deaf' INT TERM; echo ready; while :; do sleep 0.01; done");
  EXPECT_EQ(result.exit.term_signal, SIGKILL);
  EXPECT_EQ(result.failure, "interrupted by signal 2 (Interrupt)");
}

TEST_F(CommandRunnerTest, ATimeoutEndsItAsFailed) {
  const CommandResult result =
      Run({.arguments = {"sleep", "1000"}, .timeout = std::chrono::milliseconds(50)});
  EXPECT_EQ(result.exit.term_signal, SIGTERM);
  EXPECT_EQ(result.failure, "timeout after 0.05 s");
  EXPECT_TRUE(result.failed());
}

TEST_F(CommandRunnerTest, GivesTheCommandItsEnvironmentAndACleanSignalMask) {
  const CommandResult result =
      Run({.arguments = {"sh", "-c", "echo $A; kill -TERM $$"}, .environment = {{"A", "b c"}}});
  EXPECT_EQ(lines_, (std::vector<std::string>{"b c"}));
  EXPECT_EQ(result.exit.term_signal, SIGTERM) << "blocked here, not there";
}

TEST_F(CommandRunnerTest, TheClockRunsBeforeTheCommandDoes) {
  // It has ended before anybody looks at it again.
  const CommandResult result = RunCommand(
      {.arguments = {"sleep", "0.05"}}, termination_, [](std::string_view) {}, AwaitDeath);
  EXPECT_GE(result.elapsed, std::chrono::milliseconds(50));
}

}  // namespace
}  // namespace regressd::agent
