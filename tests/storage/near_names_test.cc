#include "storage/near_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace regressd::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NearNamesTest, FindsMisspelledNamesNearestFirst) {
  const std::vector<std::string> known{"vmstat.swap.si", "vmstat.swap.so", "meminfo.MemFree"};
  // One letter too many: distance 1 to so; to si one more replacement, 2.
  EXPECT_THAT(NearNames("vmstat.swap.soo", known), ElementsAre("vmstat.swap.so", "vmstat.swap.si"));
  EXPECT_THAT(NearNames("MEMINFO.memfree", known), ElementsAre("meminfo.MemFree"));
  EXPECT_THAT(NearNames("throughput", known), IsEmpty());
}

TEST(NearNamesTest, FindsNamesThatHoldThePartShortestFirst) {
  const std::vector<std::string> known{"proc-vmstat.pswpout", "perf-stat.faults",
                                       "proc-vmstat.pswpin"};
  EXPECT_THAT(NearNames("pswp", known), ElementsAre("proc-vmstat.pswpin", "proc-vmstat.pswpout"));
}

TEST(NearNamesTest, GivesNoMoreThanTheLimitAndEachOnce) {
  const std::vector<std::string> known{"aaa1", "aaa2", "aaa2", "aaa3", "aaa4"};
  EXPECT_THAT(NearNames("aaa", known), ElementsAre("aaa1", "aaa2", "aaa3"));
  EXPECT_EQ(NearNamesHint("aaa", known), "; near: aaa1, aaa2, aaa3");
  EXPECT_EQ(NearNamesHint("zzzzzz", known), "");
  EXPECT_EQ(NearNamesHint("", known), "");
}

}  // namespace
}  // namespace regressd::storage
