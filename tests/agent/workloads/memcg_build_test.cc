#include "services/agent/workloads/memcg_build.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "services/agent/private_directory.h"
#include "services/agent/workloads/guarded_directory.h"
#include "services/agent/workloads/source_tree.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;

TEST(MemcgBuildTest, BuildsItsOwnTreeOnceARoundAndRemovesIt) {
  const PrivateDirectory parent = *PrivateDirectory::Create();
  const absl::StatusOr<WorkloadResult> result = RunMemcgBuild(
      {.job_count = 2, .round_count = 2, .file_count = 1, .directory = parent.path()});
  ASSERT_TRUE(result.ok()) << result.status();
  std::vector<std::string> names;
  for (const ResultLine& line : result->lines) {
    names.push_back(line.name);
    EXPECT_EQ(line.unit, "s");
    EXPECT_EQ(line.better, "lower");
  }
  // The names of mmtests' kernbench.
  EXPECT_EQ(names,
            (std::vector<std::string>{"user-2", "syst-2", "elsp-2", "user-2", "syst-2", "elsp-2"}));
  EXPECT_GT(result->lines[0].value, 0);  // A compiler cannot do without.
  EXPECT_TRUE(fs::is_empty(parent.path()));
}

TEST(MemcgBuildTest, ACommandIsTimedInItsPlace) {
  const absl::StatusOr<WorkloadResult> result = RunMemcgBuild({.command = {"true"}});
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->lines.size(), 3u);
  EXPECT_EQ(result->lines[2].name, "elsp");
}

TEST(MemcgBuildTest, ABuildThatFailsIsShownWithItsLastLines) {
  const absl::Status status =
      RunMemcgBuild({.command = {"sh", "-c", "echo no rule to make it; exit 2"}}).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_EQ(std::string(status.message()), "sh failed: exit status 2\nno rule to make it");
}

TEST(SourceTreeTest, PrintsWhatTheSameArithmeticGivesElsewhere) {
  // Python: v = v * 31 + (stage + i) mod 2**32 for stage in 10..109, 4 times, i in 0..9, from v
  // = 1.
  EXPECT_EQ(ExpectedOutput(1), "841412817\n");
  EXPECT_EQ(ExpectedOutput(60), "1650585793\n");
}

TEST(GuardedDirectoryTest, IsRemovedWhenItsOwnerIsKilled) {
  const PrivateDirectory parent = *PrivateDirectory::Create();
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  std::array<int, 2> made;
  ASSERT_EQ(pipe(made.data()), 0);
  const pid_t owner = fork();
  ASSERT_GE(owner, 0);
  if (owner == 0) {
    const absl::StatusOr<GuardedDirectory> directory = GuardedDirectory::Create(parent.path());
    if (!directory.ok()) _exit(1);
    std::ofstream(directory->path() / "file") << "text";
    if (write(made[1], "x", 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(made[0], &byte, 1), 1);
  EXPECT_FALSE(fs::is_empty(parent.path()));
  kill(owner, SIGKILL);
  waitpid(owner, nullptr, 0);
  // The guard has become this process's child.
  EXPECT_GT(waitpid(-1, nullptr, 0), 0);
  EXPECT_TRUE(fs::is_empty(parent.path()));
  close(made[0]);
  close(made[1]);
}

}  // namespace
}  // namespace regressd::agent
