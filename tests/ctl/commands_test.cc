#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "tests/ctl/ctl_fixture.h"

namespace regressd::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// Exit statuses are those of the interface conventions.
constexpr int kOk = 0;
constexpr int kRegressionFound = 1;
constexpr int kInputRefused = 3;
constexpr int kNotFound = 5;
constexpr int kNothingToCompare = 6;

constexpr const char* kThroughput = "vm-scalability.throughput";

class CommandsTest : public CtlTest {
 protected:
  // A base and a head that is 10 % slower, well beyond the spread.
  void AddSlowerHead() {
    AddGroup("base", 1, {100, 101, 99, 100.5, 99.5});
    AddGroup("head", 11, {90, 91, 89, 90.5, 89.5});
  }
};

TEST_F(CommandsTest, ListsRunsAsTableCsvAndJson) {
  AddGroup("base", 1, {100, 101});
  const Ran table = Ctl({"runs"});
  EXPECT_EQ(table.code, kOk) << table.error;
  EXPECT_THAT(table.out, AllOf(HasSubstr(UuidOf(1)), HasSubstr(UuidOf(2)),
                               HasSubstr("testcase=vm-scalability")));
  const Ran csv = Ctl({"runs", "--format", "csv", "--limit", "1"});
  EXPECT_THAT(csv.out, StartsWith("run_uuid,state,"));
  EXPECT_THAT(csv.out, Not(HasSubstr(UuidOf(1))));  // The newest one alone.
  const Ran json = Ctl({"runs", "--json"});
  EXPECT_EQ(nlohmann::json::parse(json.out).at("runs").size(), 2U);
}

TEST_F(CommandsTest, FiltersRuns) {
  AddGroup("base", 1, {100});
  AddRun({.number = 2, .commit_id = "head", .fails = true});
  EXPECT_THAT(Ctl({"runs", "--state", "failed"}).out,
              AllOf(HasSubstr(UuidOf(2)), Not(HasSubstr(UuidOf(1)))));
  EXPECT_THAT(Ctl({"runs", "--commit", "base"}).out,
              AllOf(HasSubstr(UuidOf(1)), Not(HasSubstr(UuidOf(2)))));
  const Ran none = Ctl({"runs", "--axis", "testcase=other", "--axis", "nr_task=8"});
  EXPECT_EQ(none.code, kOk);
  EXPECT_THAT(none.out, IsEmpty());
}

TEST_F(CommandsTest, ShowsARunWithItsValues) {
  AddGroup("base", 1, {123.25});
  const Ran ran = Ctl({"run", UuidOf(1), "--metric", "throughput"});
  EXPECT_EQ(ran.code, kOk) << ran.error;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("lkp-hsw-ep2-1"), HasSubstr(kThroughput), HasSubstr("123.25")));
  EXPECT_EQ(Ctl({"run", "ffffffff"}).code, kNotFound);
}

TEST_F(CommandsTest, PrintsARunsJobAndNothingElse) {
  AddRun({.number = 1, .job_toml = "testcase = \"t\"\n"});
  const Ran ran = Ctl({"run", UuidOf(1), "--job"});
  EXPECT_EQ(ran.code, kOk) << ran.error;
  EXPECT_EQ(ran.out, "testcase = \"t\"\n");
  AddRun({.number = 2});
  const Ran none = Ctl({"run", UuidOf(2), "--job"});
  EXPECT_EQ(none.code, kNotFound);
  EXPECT_THAT(none.out, IsEmpty());
  EXPECT_THAT(none.error, HasSubstr("has no job: it was pushed from recordings"));
}

TEST_F(CommandsTest, PrintsSamplesExactly) {
  AddRun({.number = 1, .values = {{kThroughput, 0.1}}});
  const Ran csv = Ctl({"samples", UuidOf(1), kThroughput});
  EXPECT_EQ(csv.code, kOk) << csv.error;
  EXPECT_THAT(csv.out, StartsWith("metric,time,value\nvm-scalability.throughput,"));
  EXPECT_THAT(csv.out, HasSubstr(",0.1\n"));
  const auto json = nlohmann::json::parse(Ctl({"samples", UuidOf(1), kThroughput, "--json"}).out);
  EXPECT_EQ(json.at("samples").at(0).at("value"), 0.1);
  EXPECT_EQ(Ctl({"samples", UuidOf(1), "vm-scalability.throughpit"}).code, kNotFound);
}

TEST_F(CommandsTest, ComparesAndTellsByItsStatusThatThereIsARegression) {
  AddSlowerHead();
  const Ran table = Ctl({"compare", "base", "head", "--ascii"});
  EXPECT_EQ(table.code, kOk) << table.error;
  EXPECT_THAT(table.out, AllOf(HasSubstr(kThroughput), HasSubstr("-10.0%")));
  EXPECT_THAT(table.out, Not(HasSubstr("\x1b[")));  // A file wants no colour.
  EXPECT_EQ(Ctl({"compare", "base", "head", "--exit-code"}).code, kRegressionFound);
  EXPECT_EQ(Ctl({"compare", "head", "base", "--exit-code"}).code, kOk);

  const auto json = nlohmann::json::parse(Ctl({"compare", "base", "head", "--json"}).out);
  EXPECT_EQ(json.at("blocks").size(), 1U);
  const Ran csv = Ctl({"compare", "base", "head", "--format", "csv"});
  EXPECT_THAT(csv.out, HasSubstr(",base,5,100,"));
  EXPECT_THAT(csv.out, HasSubstr(",head,5,90,"));
  EXPECT_THAT(csv.out, HasSubstr(",-10,-0.1,regression,"));
}

TEST_F(CommandsTest, ComparesOneCommitAlongAnAxis) {
  const model::Axes few({{"testcase", "vm-scalability"}, {"nr_task", "8"}});
  const model::Axes many({{"testcase", "vm-scalability"}, {"nr_task", "16"}});
  AddGroup("base", 1, {100, 101}, few);
  AddGroup("base", 11, {200, 201}, many);
  const Ran ran = Ctl({"compare", "base", "--along", "nr_task=8,16", "--all"});
  EXPECT_EQ(ran.code, kOk) << ran.error;
  EXPECT_THAT(ran.out, HasSubstr("+99.5%"));  // (200.5 - 100.5) / 100.5
}

TEST_F(CommandsTest, TellsApartWhatIsUnknownAndWhatCannotBeCompared) {
  AddGroup("base", 1, {100});
  const Ran unknown = Ctl({"compare", "base", "bose"});
  EXPECT_EQ(unknown.code, kNotFound) << unknown.error;
  AddGroup("head", 11, {90}, model::Axes(std::vector<model::Axis>{{"testcase", "other"}}));
  const Ran nothing = Ctl({"compare", "base", "head"});
  EXPECT_EQ(nothing.code, kNothingToCompare) << nothing.error;
  EXPECT_THAT(nothing.out, IsEmpty());
}

TEST_F(CommandsTest, RefusedInputNamesTheField) {
  AddSlowerHead();
  const Ran ran = Ctl({"compare", "base", "head", "--metric", "("});
  EXPECT_EQ(ran.code, kInputRefused);
  // Once: "metric_regex is no regular expression of RE2: missing ): (" says it all.
  EXPECT_EQ(ran.error.find("metric_regex"), ran.error.rfind("metric_regex")) << ran.error;
  EXPECT_THAT(ran.error, StartsWith("regressctl: metric_regex is no regular expression"));
}

TEST_F(CommandsTest, TakesARunOut) {
  AddGroup("base", 1, {100});
  EXPECT_EQ(Ctl({"exclude", UuidOf(1), "--reason", "disk was full"}).code, kOk);
  EXPECT_THAT(Ctl({"run", UuidOf(1)}).out, HasSubstr("disk was full"));
  EXPECT_THAT(Ctl({"exclude", UuidOf(1), "--reason", "again"}).error, HasSubstr("first reason"));
}

TEST_F(CommandsTest, ShowsRegressionsAndSetsTheirState) {
  AddSlowerHead();
  const std::string id = std::to_string(AddRegression("base", "head"));
  EXPECT_THAT(Ctl({"regressions"}).out, HasSubstr("-10.0% regression"));
  EXPECT_THAT(Ctl({"regressions", "--state", "fixed"}).out, IsEmpty());
  EXPECT_EQ(nlohmann::json::parse(Ctl({"regressions", "--json"}).out).at("regressions").size(), 1U);
  const Ran set = Ctl({"regression", id, "set", "acknowledged", "--comment", "looking"});
  EXPECT_EQ(set.code, kOk) << set.error;
  EXPECT_THAT(Ctl({"regression", id}).out,
              AllOf(HasSubstr("acknowledged"), HasSubstr("looking"), HasSubstr(kThroughput)));
  EXPECT_EQ(Ctl({"regression", "4711"}).code, kNotFound);
}

TEST_F(CommandsTest, PrintsTheReportAndAppendsItToAMailbox) {
  AddSlowerHead();
  const std::string id = std::to_string(AddRegression("base", "head"));
  const Ran printed = Ctl({"report", id});
  EXPECT_EQ(printed.code, kOk) << printed.error;
  EXPECT_THAT(printed.out, HasSubstr("Message-ID: <"));

  testing::TemporaryDirectory directory;
  const std::string mbox = directory.path() / "mbox";
  std::ofstream(mbox) << "From x\n\nold mail\n\n";
  EXPECT_EQ(Ctl({"report", id, "--mbox", mbox}).code, kOk);
  std::ostringstream text;
  text << std::ifstream(mbox).rdbuf();
  EXPECT_THAT(text.str(), StartsWith("From x\n\nold mail\n\nFrom "));
  EXPECT_EQ(Ctl({"report", id, "--mbox", "/nonexistent/mbox"}).code, kInputRefused);
}

TEST_F(CommandsTest, AReaderThatHasSeenEnoughIsNoError) {
  AddGroup("base", 1, {100, 101, 102});
  const Ran ran = RunProgram({"bash", "-c",
                              "set -o pipefail; " + RegressctlPath() + " --server " + address() +
                                  " runs | true; echo ${PIPESTATUS[0]}"});
  EXPECT_EQ(ran.out, "0\n");
  EXPECT_THAT(ran.error, IsEmpty());
}

TEST_F(CommandsTest, SaysThatTheDiskIsFull) {
  AddGroup("base", 1, {100});
  const Ran ran = RunProgram(
      {"bash", "-c", RegressctlPath() + " --server " + address() + " runs > /dev/full; echo $?"});
  EXPECT_EQ(ran.out, "70\n");
  EXPECT_THAT(ran.error, HasSubstr("No space left"));
}

TEST_F(CommandsTest, AddsTheCommitsOfAGitTree) {
  testing::TemporaryDirectory tree;
  const std::string path = tree.path();
  const std::string script =
      "cd " + path +
      " && export GIT_CONFIG_NOSYSTEM=1 && git init -q -b main && for i in 1 2 3; do git -c "
      "user.name=Ann -c user.email=ann@example.org commit -q --allow-empty -m \"mm: step $i\"; "
      "done";
  ASSERT_EQ(RunProgram({"bash", "-c", script}).code, 0);
  const Ran added = Ctl({"commits", "add", "--repo", path, "--branch", "trunk", "HEAD"});
  EXPECT_EQ(added.code, kOk) << added.error;
  EXPECT_THAT(added.error, HasSubstr("3 commits: 3 added"));
  EXPECT_THAT(Ctl({"commits", "add", "--repo", path, "--branch", "trunk", "HEAD"}).error,
              HasSubstr("3 known before"));
  const auto json =
      nlohmann::json::parse(Ctl({"commits", "list", "--branch", "trunk", "--json"}).out);
  EXPECT_EQ(json.at("commits").size(), 3U);
  EXPECT_EQ(Ctl({"commits", "add", "--repo", path, "HEAD..HEAD"}).code, kInputRefused);
}

// Waits for a program to say something; the test's own time limit ends it when that never comes.
template <typename Said>
void WaitFor(const Said& said, const std::string& text) {
  while (said().find(text) == std::string::npos) std::this_thread::yield();
}

TEST_F(CommandsTest, WatchShowsANewRegressionAndEndsWithStatusZeroOnInterrupt) {
  AddSlowerHead();
  Program watch({RegressctlPath(), "--server", address(), "watch"}, {});
  WaitFor([&] { return watch.Error(); }, "watching");
  AddRegression("base", "head");
  WaitFor([&] { return watch.Out(); }, "-10.0% regression");
  watch.Signal(SIGINT);
  EXPECT_EQ(watch.Wait().code, kOk);
}

TEST_F(CommandsTest, WatchGoesOnAfterTheLastEventWhenTheServerComesBack) {
  AddSlowerHead();
  const std::string id = std::to_string(AddRegression("base", "head"));
  Program watch({RegressctlPath(), "--server", address(), "watch", "--after", "0", "--json"}, {});
  WaitFor([&] { return watch.Error(); }, "watching");
  EXPECT_EQ(Ctl({"regression", id, "set", "acknowledged", "--comment", "one"}).code, kOk);
  WaitFor([&] { return watch.Out(); }, "\"one\"");
  StopServer();
  WaitFor([&] { return watch.Error(); }, "trying again");
  StartServer();
  // While the watch waits for its next try: it must be told of this one nevertheless.
  EXPECT_EQ(Ctl({"regression", id, "set", "fixed", "--comment", "two"}).code, kOk);
  WaitFor([&] { return watch.Out(); }, "\"two\"");
  watch.Signal(SIGTERM);
  const Ran ran = watch.Wait();
  EXPECT_EQ(ran.code, kOk);
  std::istringstream lines(ran.out);
  std::string line;
  int count = 0;
  while (std::getline(lines, line)) {
    EXPECT_TRUE(nlohmann::json::parse(line).contains("event"));
    ++count;
  }
  EXPECT_EQ(count, 3);  // After event 0 there is also the one with which it was found.
}

}  // namespace
}  // namespace regressd::test
