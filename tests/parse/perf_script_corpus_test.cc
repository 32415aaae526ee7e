#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "services/parse/folded.h"
#include "services/parse/perf_script.h"
#include "tests/parse/corpus_case.h"
#include "tests/support/shared_data.h"

namespace regressd::parse {
namespace {

using nlohmann::json;

template <typename Number>
std::optional<double> ToDouble(const std::optional<Number>& number) {
  return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

void ExpectSample(const json& expected, const PerfScriptSample& sample) {
  SCOPED_TRACE(expected.dump());
  EXPECT_EQ(sample.comm, expected.at("comm").get<std::string>());
  EXPECT_EQ(sample.event, expected.at("event").get<std::string>());
  EXPECT_EQ(sample.tid, expected.at("tid"));
  ExpectNumber(expected.at("pid"), ToDouble(sample.pid), "pid");
  ExpectNumber(expected.at("cpu"), ToDouble(sample.cpu), "cpu");
  ExpectNumber(expected.at("period"), ToDouble(sample.period), "period");
  const std::optional<double> seconds =
      sample.time ? std::optional(std::chrono::duration<double>(*sample.time).count())
                  : std::nullopt;
  ExpectNumber(expected.at("time"), seconds, "time");
  json names = json::array();
  for (const PerfFrame& frame : sample.frames) names.push_back(frame.name);
  EXPECT_EQ(names, expected.at("stack_leaf_first"));
}

void ExpectFrames(CorpusCase* corpus_case, const PerfScriptText& text) {
  json inlined = json::array();
  std::map<std::string, std::string> dso_of_frame;
  for (const PerfScriptSample& sample : text.samples) {
    for (const PerfFrame& frame : sample.frames) {
      if (frame.inlined) inlined.push_back(frame.name);
      EXPECT_NE(frame.dso, "inlined");
      dso_of_frame[frame.name] = frame.dso;
    }
  }
  EXPECT_EQ(inlined, corpus_case->Has("inlined") ? corpus_case->Take("inlined") : json::array());
  for (const auto& [name, dso] : corpus_case->Take("dso_of_frame").items()) {
    EXPECT_EQ(dso_of_frame[name], dso.get<std::string>()) << name;
  }
}

void ExpectEventsAndFacts(CorpusCase* corpus_case, const PerfScriptText& text) {
  std::map<std::string, int> events;
  for (const PerfScriptSample& sample : text.samples) ++events[sample.event];
  if (corpus_case->Has("events")) {
    EXPECT_EQ(json(events), corpus_case->Take("events"));
  }
  const std::map<std::string, std::string> facts(text.facts.begin(), text.facts.end());
  for (const auto& [key, value] : corpus_case->Take("facts").items()) {
    ASSERT_TRUE(facts.contains(key)) << key;
    EXPECT_EQ(facts.at(key), value.get<std::string>());
  }
}

void ExpectFolded(const json& expected, const std::string& input) {
  if (expected.is_null()) return;
  EXPECT_TRUE(LooksFolded(input));
  json stacks;
  for (const FoldedStack& stack : ParseFolded(input).stacks) {
    stacks[std::string(stack.stack)] = stack.count;
  }
  EXPECT_EQ(stacks, expected);
}

TEST(PerfScriptCorpusTest, ReadsEveryCaseAsTheCorpusSays) {
  std::vector<CorpusCase> cases = CorpusCases("perf-script");
  if (cases.empty()) GTEST_SKIP() << support::NoSharedData("corpus");
  EXPECT_EQ(cases.size(), 10U);
  for (CorpusCase& corpus_case : cases) {
    SCOPED_TRACE(corpus_case.name());
    const PerfScriptText text = ParsePerfScript(corpus_case.inputs()[0]);
    corpus_case.ExpectProblems(text.problems, text.samples.size());
    const json& samples = corpus_case.Take("samples");
    ASSERT_EQ(text.samples.size(), samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) ExpectSample(samples[i], text.samples[i]);
    ExpectFrames(&corpus_case, text);
    ExpectEventsAndFacts(&corpus_case, text);
    ExpectFolded(corpus_case.Take("folded"), corpus_case.inputs()[0]);
    corpus_case.ExpectAllTaken();
  }
}

// Every recorded sample folds into one of the stacks that were folded on the recording machine,
// whose folding kept "[unknown]" for unknown symbols and comm alone for the task.
TEST(PerfScriptCorpusTest, FoldsTheRecordedRunAsItWasFoldedWhenRecorded) {
  const std::optional<std::string> script = Recorded("perf-script.txt");
  const std::optional<std::string> folded = Recorded("perf-folded.txt");
  if (!script || !folded) GTEST_SKIP() << support::NoSharedData("corpus");

  const FoldedText stacks = ParseFolded(*folded);
  EXPECT_TRUE(stacks.problems.empty());
  EXPECT_EQ(stacks.stacks.size(), 156U);  // By the recording's README, like the next two.
  std::uint64_t total = 0;
  std::map<std::string, std::uint64_t, std::less<>> counts;
  for (const FoldedStack& stack : stacks.stacks) {
    total += stack.count;
    counts[std::string(stack.stack)] += stack.count;
  }
  EXPECT_EQ(total, 1442U);

  PerfScriptText text = ParsePerfScript(*script);
  EXPECT_TRUE(text.problems.empty());
  EXPECT_EQ(text.samples.size(), 184U);
  for (PerfScriptSample& sample : text.samples) {
    for (PerfFrame& frame : sample.frames) {
      if (frame.name == "[libstdc++.so.6.0.30]" || frame.name == "[libc.so.6]" ||
          frame.name == "[swapload]") {
        frame.name = "[unknown]";
      }
    }
    EXPECT_TRUE(counts.contains(Fold(sample))) << Fold(sample);
  }
}

}  // namespace
}  // namespace regressd::parse
