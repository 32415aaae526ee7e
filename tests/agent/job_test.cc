#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "services/agent/job/job_file.h"

namespace regressd::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kWhole = R"(
testcase = "swap-w-seq"
commit = "v6.18"
kernel_describe = "v6.18-0-g1234"
branch = "master"
expect_kernel = "6.18.0"
command = ["sh", "-c", "echo \"x\" 'y'\t\\ \u007f"]
reader = "name-value"
runs = 5
warm_up_runs = 1
timeout_s = 600.5
monitors = ["proc", "vmstat"]
interval_ms = 250
perf_events = ["page-faults"]
profile_frequency_hz = 49
profile_window_s = 5
profile_event = "page-faults"

[params]
zebra = "1"
"a key" = 8
huge = true

[axes]
kconfig = "x86_64-rhel"

[setup]
memcg = "1.5G"
swap = "zram:256M"
swap_dir = "/mnt"
drop_caches = true
settings_are_axes = false
[setup.set]
"vm.swappiness" = 10
)";

Job Parsed(std::string_view text) {
  const absl::StatusOr<Job> job = ParseJob(text, "job.toml");
  EXPECT_TRUE(job.ok()) << job.status();
  return job.ok() ? *job : Job{};
}

std::string ErrorOf(std::string_view text) {
  const absl::StatusOr<Job> job = ParseJob(text, "job.toml");
  EXPECT_FALSE(job.ok()) << text;
  return std::string(job.status().message());
}

TEST(JobFileTest, SaysEverythingThatARunNeeds) {
  const Job job = Parsed(kWhole);
  EXPECT_EQ(job.testcase, "swap-w-seq");
  EXPECT_THAT(job.command, ElementsAre("sh", "-c", "echo \"x\" 'y'\t\\ \x7f"));
  EXPECT_EQ(job.timeout_s, 600.5);
  EXPECT_EQ(job.profile_window_s, 5.0);
  EXPECT_EQ(job.profile_event, "page-faults");
  EXPECT_THAT(job.params, ElementsAre(model::Axis{"zebra", "1"}, model::Axis{"a key", "8"},
                                      model::Axis{"huge", "true"}))
      << "in the order of the file";
  EXPECT_THAT(job.setup.settings, ElementsAre(KernelSetting{"vm.swappiness", "10"}));
}

TEST(JobFileTest, ItsTextReadsBackToTheSameJob) {
  const Job job = Parsed(kWhole);
  const std::string text = JobText(job);
  EXPECT_EQ(Parsed(text), job) << text;
  EXPECT_EQ(JobText(Parsed(text)), text);
}

TEST(JobFileTest, APatchReadsBack) {
  const Job job = Parsed(
      "testcase = \"t\"\n[patch]\nmessage_id = \"a@b\"\nbase = \"v6.18\"\nnumber = \"3/7\"\n"
      "version = 2\nsubject = \"mm: x\"\nauthor = \"A <a@b>\"\n");
  EXPECT_EQ(Parsed(JobText(job)), job);
  const auto commit = JobCommit(job);
  ASSERT_TRUE(commit.ok());
  EXPECT_EQ(commit->patch->total, 7);
  EXPECT_EQ(commit->patch->series_version, 2);
}

TEST(JobFileTest, AnUnknownKeyIsNamedWithItsLineAndTheNearOne) {
  EXPECT_THAT(ErrorOf("testcase = \"t\"\ninterval = 1\nintervall_ms = 10\n"),
              StartsWith("job.toml:2: unknown key interval; known are testcase, commit, "));
  EXPECT_EQ(ErrorOf("testcase = \"t\"\n\nintervall_ms = 10\n"),
            "job.toml:3: unknown key intervall_ms; did you mean interval_ms?");
  EXPECT_EQ(ErrorOf("[setup]\nmemcgs = \"1G\"\n"),
            "job.toml:2: unknown key memcgs; did you mean memcg?");
}

TEST(JobFileTest, AWrongValueIsNamedWithItsLine) {
  EXPECT_EQ(ErrorOf("runs = 0"), "job.toml:1: runs must be a whole number from 1 to 100000");
  EXPECT_EQ(ErrorOf("runs = \"5\""), "job.toml:1: runs must be a whole number from 1 to 100000");
  EXPECT_EQ(ErrorOf("\ncommand = \"make -j\""),
            "job.toml:2: command must be a list of texts: [\"a\", \"b\"]");
  EXPECT_EQ(ErrorOf("timeout_s = nan"),
            "job.toml:1: timeout_s must be a number from 0 to 100000000");
  EXPECT_EQ(ErrorOf("testcase = \"\""), "job.toml:1: testcase is empty; leave it out");
  EXPECT_EQ(ErrorOf("[params]\nload = 0.5"), "job.toml:1: params load must be a text in quotes");
  EXPECT_THAT(ErrorOf("reader = \"name_value\""), HasSubstr("did you mean name-value?"));
  EXPECT_THAT(ErrorOf("[setup.set]\n\"kernel.panic\" = 1"), HasSubstr("only vm.NAME"));
  EXPECT_THAT(ErrorOf("testcase = "), HasSubstr("job.toml:1:"));
  // A command line would end there.
  for (const char* text : {"command = [\"echo\", \"a\\u0000b\"]", "testcase = \"a\\u0000\"",
                           "[params]\nload = \"a\\u0000\""}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("has a NUL character"));
  }
}

TEST(JobFileTest, AFileThatIsNotThereIsNamed) {
  const auto job = ReadJobFile("/no/such/job.toml");
  ASSERT_TRUE(absl::IsNotFound(job.status()));
  EXPECT_THAT(std::string(job.status().message()), HasSubstr("/no/such/job.toml"));
}

TEST(JobTest, OptionsStandOverTheFileKeyByKey) {
  Job over;
  over.commit = "v6.19";
  over.params = {{"huge", "false"}, {"new", "1"}};
  over.runs = 1;
  over.setup.settings = {{"vm.swappiness", "90"}};
  const Job job = Overlay(Parsed(kWhole), over);
  EXPECT_EQ(job.commit, "v6.19");
  EXPECT_EQ(job.kernel_describe, "") << "it described the other commit";
  EXPECT_EQ(job.testcase, "swap-w-seq");
  EXPECT_EQ(job.runs, 1);
  EXPECT_THAT(job.params, ElementsAre(model::Axis{"zebra", "1"}, model::Axis{"a key", "8"},
                                      model::Axis{"huge", "false"}, model::Axis{"new", "1"}));
  EXPECT_THAT(job.setup.settings, ElementsAre(KernelSetting{"vm.swappiness", "90"}));
}

TEST(JobTest, LimitAndSwapAreAxesInTheirOneSpelling) {
  Job job = Parsed(kWhole);
  auto axes = JobAxes(job);
  ASSERT_TRUE(axes.ok()) << axes.status();
  EXPECT_EQ(axes->Find("memcg"), "1536M");
  EXPECT_EQ(axes->Find("swap"), "zram:256M");
  EXPECT_EQ(axes->Find("vm.swappiness"), std::nullopt);
  job.setup.settings_are_axes = true;
  axes = JobAxes(job);
  ASSERT_TRUE(axes.ok());
  EXPECT_EQ(axes->Find("vm.swappiness"), "10");
}

TEST(JobTest, AnAxisThatSaysSomethingElseThanTheSetupIsAnError) {
  Job job = Parsed(kWhole);
  job.axes.push_back({"memcg", "1536M"});
  EXPECT_TRUE(JobAxes(job).ok()) << "the same said twice";
  job.axes.back().value = "2G";
  const auto axes = JobAxes(job);
  ASSERT_FALSE(axes.ok());
  EXPECT_EQ(axes.status().message(), "--memcg memcg=1536M: memcg is 2G already; name it once");
}

TEST(JobTest, AMemoryLimitThatIsNoneIsAnError) {
  Job job;
  for (const char* text : {"much", "1K", "-1G"}) {
    job.setup.memcg = text;
    const auto options = JobSetupOptions(job);
    ASSERT_FALSE(options.ok()) << text;
    EXPECT_THAT(std::string(options.status().message()), HasSubstr("write it as 1536M or 2G"));
  }
}

TEST(JobTest, APatchNeedsItsMessageIdAndACommit) {
  Job job;
  EXPECT_FALSE(JobCommit(job).ok());
  job.patch.base = "v6.18";
  EXPECT_FALSE(JobCommit(job).ok());
  job.patch.message_id = "<a@b>";
  const auto commit = JobCommit(job);
  ASSERT_TRUE(commit.ok()) << commit.status();
  EXPECT_EQ(commit->patch->message_id, "a@b");
  job.commit = "v6.17";
  EXPECT_EQ(
      std::string(JobCommit(job).status().message()),
      "--commit \"v6.17\" and --patch-base \"v6.18\" differ: a patch is tested on one commit; "
      "leave one of them out");
  job.commit = "v6.18";
  EXPECT_TRUE(JobCommit(job).ok());
  job.patch.number = "8/7";
  EXPECT_FALSE(JobCommit(job).ok());
}

}  // namespace
}  // namespace regressd::agent
