#include "services/common/call_deadline.h"

#include <gtest/gtest.h>

#include <thread>

namespace regressd::common {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::system_clock;

TEST(CallDeadlineTest, WithoutACallTheLimitHolds) {
  EXPECT_EQ(CallDeadline::TimeLeft(milliseconds(30000)), milliseconds(30000));
}

TEST(CallDeadlineTest, TheSoonerOfLimitAndDeadlineHolds) {
  const CallDeadline call(system_clock::now() + hours(1));
  EXPECT_EQ(CallDeadline::TimeLeft(milliseconds(30000)), milliseconds(30000));
  EXPECT_LE(CallDeadline::TimeLeft(hours(5)), hours(1));
  EXPECT_GT(CallDeadline::TimeLeft(hours(5)), milliseconds(1));
}

TEST(CallDeadlineTest, APassedDeadlineLeavesTheLeastThatPostgresqlTakesForATimeout) {
  // 0 would switch statement_timeout off.
  const CallDeadline call(system_clock::now() - hours(1));
  EXPECT_EQ(CallDeadline::TimeLeft(milliseconds(30000)), milliseconds(1));
}

TEST(CallDeadlineTest, AnInnerCallOnlyShortensAndEndsWithItsScope) {
  const CallDeadline outer(system_clock::now() - hours(1));
  {
    const CallDeadline inner(system_clock::time_point::max());
    EXPECT_EQ(CallDeadline::TimeLeft(hours(1)), milliseconds(1));
  }
  EXPECT_EQ(CallDeadline::TimeLeft(hours(1)), milliseconds(1));
}

TEST(CallDeadlineTest, OtherThreadsHaveTheirOwn) {
  const CallDeadline call(system_clock::now() - hours(1));
  milliseconds elsewhere{0};
  std::thread([&] { elsewhere = CallDeadline::TimeLeft(milliseconds(30000)); }).join();
  EXPECT_EQ(elsewhere, milliseconds(30000));
}

}  // namespace
}  // namespace regressd::common
