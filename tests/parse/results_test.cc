#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/parse/name_value.h"
#include "services/parse/observations.h"

namespace regressd::parse {
namespace {

using ::testing::HasSubstr;

TEST(NameValueTest, ReadsUnitAndDirection) {
  NameValue result;
  ASSERT_EQ(ParseNameValue("  throughput 12345.5 KB/s higher", &result), NameValueLine::kResult);
  EXPECT_EQ(result.name, "throughput");
  EXPECT_EQ(result.value, 12345.5);
  EXPECT_EQ(result.unit, "KB/s");
  EXPECT_EQ(result.better, model::Better::kHigher);
  EXPECT_TRUE(result.says_better);
}

TEST(NameValueTest, LeavesTheDirectionToTheCatalogueWhenTheLineDoesNotSayIt) {
  NameValue result;
  ASSERT_EQ(ParseNameValue("per_thread_ops: 1.5e6", &result), NameValueLine::kResult);
  EXPECT_EQ(result.name, "per_thread_ops");
  EXPECT_EQ(result.value, 1.5e6);
  EXPECT_FALSE(result.says_better);
}

TEST(NameValueTest, TakesADirectionWithoutAUnit) {
  NameValue result;
  ASSERT_EQ(ParseNameValue("workload -3 lower", &result), NameValueLine::kResult);
  EXPECT_EQ(result.unit, "");
  EXPECT_EQ(result.better, model::Better::kLower);
}

TEST(NameValueTest, LeavesOtherOutputAlone) {
  NameValue result;
  for (const char* line :
       {"", "done", "processed 5 files in 3 seconds", "12 monkeys", "[1] 4711", "Run 1 of 10",
        "warning: 5 things went wrong", "a b 3", "x 5 anunitthatismuchtoolong"}) {
    EXPECT_EQ(ParseNameValue(line, &result), NameValueLine::kOther) << line;
  }
}

TEST(NameValueTest, ReportsAResultWhoseValueIsNone) {
  const NameValues values = ParseNameValues("good 1\nthroughput 12,5 MB/s\nx nan\ny 1e999\n");
  EXPECT_EQ(values.results.size(), 1U);
  ASSERT_EQ(values.problems.size(), 3U);
  EXPECT_EQ(values.problems[0].line, 2);
  EXPECT_THAT(values.problems[0].message, HasSubstr("12,5"));
}

TEST(ObservationsTest, GivesEachValueToTheMetricBeforeIt) {
  ObservationReader reader;
  Observation value;
  EXPECT_FALSE(reader.Feed("# truncate_time us lower", &value));
  ASSERT_TRUE(reader.Feed("12.25", &value));
  EXPECT_EQ(value.metric_index, 0);
  EXPECT_EQ(value.value, 12.25);
  EXPECT_FALSE(reader.Feed("# create_time us", &value));
  ASSERT_TRUE(reader.Feed("7", &value));
  EXPECT_EQ(value.metric_index, 1);
  ASSERT_TRUE(reader.Feed("truncate_time 11", &value));
  EXPECT_EQ(value.metric_index, 0);
  ASSERT_TRUE(reader.Feed("8", &value));
  EXPECT_EQ(value.metric_index, 1);
  ASSERT_EQ(reader.metrics().size(), 2U);
  EXPECT_EQ(reader.metrics()[0].unit, "us");
  EXPECT_EQ(reader.metrics()[0].better, model::Better::kLower);
  EXPECT_EQ(reader.metrics()[1].better, model::Better::kNeither);
  EXPECT_TRUE(reader.TakeProblems().empty());
}

TEST(ObservationsTest, RefusesByLineWhatItCannotRead) {
  ObservationReader reader;
  Observation value;
  EXPECT_FALSE(reader.Feed("5", &value));
  EXPECT_FALSE(reader.Feed("# a us lower", &value));
  EXPECT_FALSE(reader.Feed("inf", &value));
  EXPECT_FALSE(reader.Feed("b 5", &value));
  EXPECT_TRUE(reader.Feed("6", &value));
  const Problems problems = reader.TakeProblems();
  ASSERT_EQ(problems.size(), 3U);
  EXPECT_EQ(problems[0].code, "unknown_metric");
  EXPECT_EQ(problems[1].line, 3);
  EXPECT_EQ(problems[2].line, 4);
}

TEST(ObservationsTest, ValuesAfterABadHeaderBelongToNobody) {
  ObservationReader reader;
  Observation value;
  reader.Feed("# a us lower", &value);
  EXPECT_FALSE(reader.Feed("# b us sideways", &value));
  EXPECT_FALSE(reader.Feed("6", &value));
}

TEST(ObservationsTest, StopsNamingProblemsAfterTwenty) {
  ObservationReader reader;
  Observation value;
  for (int i = 0; i < 5000; ++i) reader.Feed("x", &value);
  const Problems problems = reader.TakeProblems();
  EXPECT_EQ(problems.size(), 21U);
  EXPECT_THAT(problems.back().message, HasSubstr("5000"));
}

TEST(ObservationReaderTest, AMetricWhoseNameIsNoTextIsLeftOutWithItsValues) {
  ObservationReader reader;
  Observation value;
  for (const char* line : {"# bad\xff us", "1", "# ctl\x01 us", "2"}) {
    EXPECT_FALSE(reader.Feed(line, &value)) << line;
  }
  EXPECT_FALSE(reader.Feed("# good u\x01s lower", &value));
  EXPECT_TRUE(reader.Feed("3", &value));
  ASSERT_EQ(reader.metrics().size(), 1U);
  EXPECT_EQ(reader.metrics()[0].name, "good");
  EXPECT_EQ(reader.metrics()[0].unit, "");
  const Problems problems = reader.TakeProblems();
  ASSERT_EQ(problems.size(), 5U);
  EXPECT_EQ(problems[0].line, 1);
  EXPECT_EQ(problems[0].code, "bad_name");
  EXPECT_EQ(problems[4].code, "bad_unit");
}

}  // namespace
}  // namespace regressd::parse
