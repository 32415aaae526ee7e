#include "services/model/profile_name.h"

#include <gtest/gtest.h>

namespace regressd::model {
namespace {

TEST(ProfileNameTest, CutsWhatTheCompilerAddsToAFunction) {
  EXPECT_EQ(FunctionName("shrink_folio_list"), "shrink_folio_list");
  EXPECT_EQ(FunctionName("__page_cache_release.part.0"), "__page_cache_release");
  EXPECT_EQ(FunctionName("shrink_list.isra.73"), "shrink_list");
  EXPECT_EQ(FunctionName("walk.constprop.0.isra.1"), "walk");
  EXPECT_EQ(FunctionName("do_swap_page.cold"), "do_swap_page");
  EXPECT_EQ(FunctionName("walk.part.0.cold"), "walk");
}

TEST(ProfileNameTest, LeavesWhatOnlyLooksLikeIt) {
  EXPECT_EQ(FunctionName("ns.part.of"), "ns.part.of");
  EXPECT_EQ(FunctionName("ns.part.of.part.4"), "ns.part.of");
  EXPECT_EQ(FunctionName("x.colder"), "x.colder");
  EXPECT_EQ(FunctionName("[libc.so.6]"), "[libc.so.6]");
  EXPECT_EQ(FunctionName(""), "");
}

TEST(ProfileNameTest, FindsTheEventOfAProfilesMetric) {
  EXPECT_EQ(ProfileEvent("perf-profile.cpu-clock"), "cpu-clock");
  EXPECT_EQ(ProfileEvent("perf-record"), "perf-record");
}

}  // namespace
}  // namespace regressd::model
