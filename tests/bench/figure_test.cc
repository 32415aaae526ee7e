#include "tests/bench/figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace regressd::bench {
namespace {

using ::testing::HasSubstr;

Figure Cpu(std::optional<double> value) {
  return {.name = "cpu",
          .value = value,
          .unit = "%",
          .must = 1.0,
          .want = 0.5,
          .better = Better::kLower,
          .note = {}};
}

TEST(FigureTest, AMustThatWasNotMeasuredIsMissed) {
  EXPECT_FALSE(MeetsMust(Cpu(std::nullopt)));
  EXPECT_THAT(RenderTable({}, {Cpu(std::nullopt)}), HasSubstr("NOT MEASURED"));
}

TEST(FigureTest, TheLimitItselfMeetsTheMustInBothDirections) {
  EXPECT_TRUE(MeetsMust(Cpu(1.0)));
  EXPECT_FALSE(MeetsMust(Cpu(1.01)));
  Figure speed = Cpu(0.99);
  speed.better = Better::kHigher;
  EXPECT_FALSE(MeetsMust(speed));
  speed.value = 1.0;
  EXPECT_TRUE(MeetsMust(speed));
}

TEST(FigureTest, AFigureWithoutAMustNeverFails) {
  Figure shown = Cpu(std::nullopt);
  shown.must.reset();
  EXPECT_TRUE(MeetsMust(shown));
}

TEST(FigureTest, JsonLinesSayNullForWhatWasNotMeasured) {
  EXPECT_THAT(RenderJsonLines({"Linux"}, {Cpu(std::nullopt)}), HasSubstr("\"value\":null"));
}

TEST(FigureTest, LargeRatesAreWrittenWithoutExponent) {
  Figure rate = Cpu(1234567.0);
  rate.runs = {1234566.0, 1234568.0};
  EXPECT_THAT(RenderTable({}, {rate}), HasSubstr(" 1234567 "));
  EXPECT_THAT(RenderJsonLines({}, {rate}), HasSubstr("\"runs\":[1234566.0,1234568.0]"));
}

}  // namespace
}  // namespace regressd::bench
