#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/ctl/program.h"

namespace regressd::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// Exit statuses are those of the interface conventions: 2 usage, 4 not reachable.
constexpr int kUsage = 2;
constexpr int kUnreachable = 4;

// Port 1 (tcpmux) refuses connections on any machine that runs tests.
constexpr const char* kNobody = "127.0.0.1:1";

TEST(CommandLineTest, RefusesWrongLinesWithStatusTwoAndNothingOnStandardOutput) {
  const std::vector<std::vector<std::string>> lines = {
      {},
      {"frobnicate"},
      {"runs", "--limit", "0"},
      {"runs", "--state", "dead"},
      {"runs", "--axis", "testcase"},
      {"run"},
      {"compare", "v6.12"},
      {"compare", "v6.12", "v6.13", "--along", "nr_task=8,16"},
      {"compare", "v6.12", "--along", "nr_task=8"},
      {"compare", "v6.12", "--along", "nr_task=8,"},
      {"compare", "v6.12", "--along", "nr_task=8,8"},
      {"compare", "v6.12", "--along", "nr_task=8,16", "--axis", "nr_task=8"},
      {"exclude", "0a1b"},
      {"regression", "0"},
      {"regression", "17", "set", "frobbed", "--comment", "x"},
      {"regression", "17", "set", "confirmed"},
      {"runs", "--json", "--format", "csv"},
      {"completion", "tcsh"},
      {"runs", "--timeout", "0"},
      {"runs", "--axis", "nr_task=8", "--axis", "nr_task=16"},
      {"runs", "--limit", "010"},
      {"runs", "--limit", "0x10"},
      {"watch", "--after", "-1"}};
  for (const std::vector<std::string>& line : lines) {
    const Ran ran = Regressctl(kNobody, line);
    EXPECT_EQ(ran.code, kUsage) << ::testing::PrintToString(line);
    EXPECT_THAT(ran.out, IsEmpty());
    EXPECT_THAT(ran.error, HasSubstr("--help"));
  }
}

TEST(CommandLineTest, NamesTheCommandThatWasMeant) {
  EXPECT_THAT(Regressctl(kNobody, {"comapre"}).error, HasSubstr("did you mean compare?"));
}

TEST(CommandLineTest, EveryCommandHasHelpWithoutItsArguments) {
  for (const char* words : {"runs", "run", "exclude", "samples", "stacks", "observations",
                            "compare", "regressions", "regression", "regression set", "report",
                            "watch", "commits", "commits add", "commits list", "completion"}) {
    const Ran ran = RunProgram({"bash", "-c", RegressctlPath() + " " + words + " --help"});
    EXPECT_EQ(ran.code, 0) << words << ": " << ran.error;
    EXPECT_THAT(ran.out, HasSubstr("Usage: regressctl " + std::string(words)));
    // The long text stands once, in regressctl --help.
    EXPECT_THAT(ran.out, HasSubstr("Exit status, and the options of every command: regressctl "));
    EXPECT_THAT(ran.out, ::testing::Not(HasSubstr("70  a fault")));
    EXPECT_THAT(ran.error, IsEmpty()) << words;
  }
}

TEST(CommandLineTest, NamesTheSubcommandThatWasMeant) {
  EXPECT_THAT(Regressctl(kNobody, {"commits", "lst"}).error,
              HasSubstr("\"lst\" is no command of commits; did you mean list?"));
}

TEST(CommandLineTest, NamesTheOptionThatWasMeant) {
  EXPECT_THAT(Regressctl(kNobody, {"runs", "--limti", "3"}).error,
              HasSubstr("--limti is no option of regressctl runs; did you mean --limit?"));
  EXPECT_THAT(Regressctl(kNobody, {"runs", "--timout=3"}).error, HasSubstr("--timeout?"));
}

TEST(CommandLineTest, AVariableThatIsNotSetSelectsNotEverything) {
  const std::vector<std::vector<std::string>> lines = {
      {"runs", "--commit", ""},        {"runs", "--testbox", ""},
      {"regressions", "--head", ""},   {"commits", "list", "--branch", ""},
      {"commits", "add", ""},          {"compare", "v6.12", ""},
      {"run", "0a1b", "--metric", ""}, {"samples", "0a1b", ""},
      {"report", "1", "--mbox", ""},   {"exclude", "0a1b", "--reason", " "}};
  for (const std::vector<std::string>& line : lines) {
    const Ran ran = Regressctl(kNobody, line);
    EXPECT_EQ(ran.code, kUsage) << ::testing::PrintToString(line);
    EXPECT_THAT(ran.error, HasSubstr("is empty")) << ::testing::PrintToString(line);
  }
}

TEST(CommandLineTest, ShowsHowAnAxisIsWritten) {
  EXPECT_THAT(Regressctl(kNobody, {"runs", "--axis", "testcase:swap"}).error,
              HasSubstr("testcase=swap"));
}

TEST(CommandLineTest, SaysWhatTheIdOfARegressionIs) {
  for (const char* id : {"abc", "-1", "0", "010", "1.5", "0x10", "", "99999999999999999999"}) {
    for (std::vector<std::string> line : {std::vector<std::string>{"report"}, {"regression"}}) {
      line.emplace_back(id);
      const Ran ran = Regressctl(kNobody, line);
      EXPECT_EQ(ran.code, kUsage) << ::testing::PrintToString(line);
      EXPECT_THAT(ran.error, HasSubstr("\"" + std::string(id) + "\" is no id of a regression"));
      EXPECT_THAT(ran.error, HasSubstr("regressctl regressions"));
    }
  }
}

TEST(CommandLineTest, SaysWhatTheIdOfARunIs) {
  for (const char* id : {"xyzt", "-1", "0a1", "", "0a1b 2", "0a1b\n", "--0a1b",
                         "00000000-0000-4000-8000-0000000000011"}) {
    for (std::vector<std::string> line : {std::vector<std::string>{"run", "--"},
                                          {"samples", "--", id, "m"},
                                          {"stacks", "--"},
                                          {"observations", "--", id, "m"},
                                          {"exclude", "--reason", "x", "--"}}) {
      if (line.back() == "--") line.emplace_back(id);
      const Ran ran = Regressctl(kNobody, line);
      EXPECT_EQ(ran.code, kUsage) << ::testing::PrintToString(line);
      EXPECT_THAT(ran.error, HasSubstr("is no id of a run"));
    }
  }
  EXPECT_THAT(Regressctl(kNobody, {"run", "-1"}).error, HasSubstr("\"-1\" is no id of a run"));
}

TEST(CommandLineTest, TakesFiniteNumbersOnly) {
  for (const char* seconds :
       {"nan", "NaN", "-nan", "inf", "-inf", "infinity", "1e999", "nan(0x1)"}) {
    const Ran ran = Regressctl(kNobody, {"--timeout", seconds, "runs"});
    EXPECT_EQ(ran.code, kUsage) << seconds;
    EXPECT_THAT(ran.error, HasSubstr("is no number from 0.001 to 86400"));
  }
}

TEST(CommandLineTest, WhatIsNoAddressOfAServerIsAWrongLine) {
  for (const char* server : {"", " ", "localhost", ":7878", "localhost:99999", "localhost:http"}) {
    const Ran ran = Regressctl(server, {"runs"});
    EXPECT_EQ(ran.code, kUsage) << server;
    EXPECT_THAT(ran.error, HasSubstr("(from --server)"));
  }
}

TEST(CommandLineTest, HelpIsDataAndListsTheExitStatuses) {
  const Ran ran = Regressctl(kNobody, {"--help"});
  EXPECT_EQ(ran.code, 0);
  for (const char* status : {"0", "1", "2", "3", "4", "5", "6", "70"}) {
    EXPECT_THAT(ran.out, ContainsRegex("\n  " + std::string(status) + " +[a-z]"));
  }
  EXPECT_THAT(ran.error, IsEmpty());
}

TEST(CommandLineTest, EveryCommandThatAsksSaysThatTheServerIsNotThere) {
  const std::vector<std::vector<std::string>> lines = {{"runs"},
                                                       {"run", "0a1b"},
                                                       {"samples", "0a1b", "x"},
                                                       {"stacks", "0a1b"},
                                                       {"observations", "0a1b", "x"},
                                                       {"exclude", "0a1b", "--reason", "x"},
                                                       {"compare", "a", "b"},
                                                       {"regressions"},
                                                       {"regression", "17"},
                                                       {"report", "17"},
                                                       {"watch"},
                                                       {"commits", "list"}};
  for (const std::vector<std::string>& line : lines) {
    const Ran ran = Regressctl(kNobody, line);
    EXPECT_EQ(ran.code, kUnreachable) << ::testing::PrintToString(line);
    EXPECT_THAT(ran.out, IsEmpty());
    EXPECT_THAT(ran.error, HasSubstr("cannot reach regressd at 127.0.0.1:1 (from --server)"));
  }
}

class ServerAddressTest : public ::testing::Test {
 protected:
  // Writes the configuration file and runs a command that needs the server.
  Ran RunWith(const std::string& file, Program::Variables environment,
              const std::vector<std::string>& arguments = {"runs"}) {
    std::ofstream(config_.path() / "regressctl.toml") << file;
    environment["XDG_CONFIG_HOME"] = config_.path();
    std::vector<std::string> line = {RegressctlPath()};
    line.insert(line.end(), arguments.begin(), arguments.end());
    return RunProgram(line, environment);
  }

  testing::TemporaryDirectory config_;
};

TEST_F(ServerAddressTest, TheFlagBeatsTheEnvironmentAndThatTheFile) {
  const std::string file = "server = \"127.0.0.1:3\"\n";
  EXPECT_THAT(
      RunWith(file, {{"REGRESSD_SERVER", "127.0.0.1:2"}}, {"runs", "--server", "127.0.0.1:1"})
          .error,
      HasSubstr("127.0.0.1:1 (from --server)"));
  EXPECT_THAT(RunWith(file, {{"REGRESSD_SERVER", "127.0.0.1:2"}}).error,
              HasSubstr("127.0.0.1:2 (from REGRESSD_SERVER)"));
  EXPECT_THAT(RunWith(file, {}).error, HasSubstr("127.0.0.1:3 (from " + config_.path().string()));
}

TEST_F(ServerAddressTest, AWrongFileIsNamedWithItsLine) {
  for (const char* file : {"\nsevrer = \"127.0.0.1:3\"\n", "\nserver = 3\n", "\nserver = \n"}) {
    const Ran ran = RunWith(file, {});
    EXPECT_EQ(ran.code, kUsage) << file;
    EXPECT_THAT(ran.error, HasSubstr("regressctl.toml:2: ")) << file;
  }
}

// What bash itself offers after the words of a line.
std::string Completed(const std::string& words, int at) {
  const std::string script =
      "source <(" + RegressctlPath() + " completion bash); COMP_WORDS=(regressctl " + words +
      "); COMP_CWORD=" + std::to_string(at) + "; _regressctl; echo \"${COMPREPLY[*]}\"";
  return RunProgram({"bash", "-c", script}).out;
}

TEST(CompletionTest, BashCompletesCommandsAndTheirOptions) {
  EXPECT_EQ(Completed("comm", 1), "commits\n");
  EXPECT_EQ(Completed("commits a", 2), "add\n");
  EXPECT_EQ(Completed("compare --exit", 2), "--exit-code\n");
  EXPECT_EQ(Completed("compare --serv", 2), "--server\n");
  EXPECT_THAT(Completed("regressions --exit", 2), Not(HasSubstr("exit-code")));
}

TEST(CompletionTest, PrintsAScriptForEachShell) {
  EXPECT_THAT(Regressctl(kNobody, {"completion", "zsh"}).out, StartsWith("#compdef regressctl"));
  EXPECT_THAT(Regressctl(kNobody, {"completion", "fish"}).out, HasSubstr("complete -c regressctl"));
}

}  // namespace
}  // namespace regressd::test
