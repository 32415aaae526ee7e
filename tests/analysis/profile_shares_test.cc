#include "services/analysis/profile_shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace regressd::analysis {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

std::map<std::string, double> SharesOf(const ProfileShares& profile) {
  std::map<std::string, double> shares;
  for (const ProfileShare& share : profile.Shares("cycles-pp")) {
    shares[share.metric.name.substr(std::string("perf-profile.").size())] = share.percent;
  }
  return shares;
}

// The names and their nesting are those of LKP's mails: a calltrace row for each function of a
// stack, with up to four of its callers behind it.
TEST(ProfileSharesTest, NamesSelfChildrenAndCalltraceAsLkpDoes) {
  ProfileShares profile;
  profile.Add("usemem;do_access;asm_exc_page_fault;handle_mm_fault", 3);
  profile.Add("usemem;do_access", 1);
  EXPECT_THAT(
      SharesOf(profile),
      ElementsAre(
          Pair("calltrace.cycles-pp.asm_exc_page_fault.do_access", 75),
          Pair("calltrace.cycles-pp.do_access", 100),
          Pair("calltrace.cycles-pp.handle_mm_fault.asm_exc_page_fault.do_access", 75),
          Pair("children.cycles-pp.asm_exc_page_fault", 75),
          Pair("children.cycles-pp.do_access", 100), Pair("children.cycles-pp.handle_mm_fault", 75),
          Pair("self.cycles-pp.do_access", 25), Pair("self.cycles-pp.handle_mm_fault", 75)));
}

TEST(ProfileSharesTest, SharesArePercentagesThatNeitherGateNorJudgeADirection) {
  ProfileShares profile;
  profile.Add("a;f", 1);
  const model::Metric metric = profile.Shares("cycles-pp").at(0).metric;
  EXPECT_EQ(metric.unit, "%");
  EXPECT_EQ(metric.better, model::Better::kNeither);
  EXPECT_EQ(metric.kind, model::MetricKind::kRatio);
}

TEST(ProfileSharesTest, CallTracesEndAtTheFourthCaller) {
  ProfileShares profile;
  profile.Add("task;main;f;g;h;i;j", 1);
  EXPECT_THAT(SharesOf(profile), IsSupersetOf({Pair("calltrace.cycles-pp.j.i.h.g.f", 100.0),
                                               Pair("calltrace.cycles-pp.i.h.g.f.main", 100.0)}));
  EXPECT_THAT(SharesOf(profile), Not(Contains(Key("calltrace.cycles-pp.j.i.h.g.f.main"))));
}

TEST(ProfileSharesTest, AFunctionThatCallsItselfCountsOnceInAStack) {
  ProfileShares profile;
  profile.Add("task;main;walk;walk;walk", 1);
  profile.Add("task;main", 1);
  EXPECT_THAT(SharesOf(profile), IsSupersetOf({Pair("children.cycles-pp.walk", 50.0),
                                               Pair("self.cycles-pp.walk", 50.0),
                                               Pair("calltrace.cycles-pp.walk.main", 50.0),
                                               Pair("calltrace.cycles-pp.walk.walk.main", 50.0)}));
}

TEST(ProfileSharesTest, PartsAndCopiesOfAFunctionAreThatFunction) {
  ProfileShares profile;
  profile.Add("task;main.constprop.0;shrink_list.isra.3;free.part.12", 1);
  profile.Add("task;main;shrink_list;free.cold", 1);
  EXPECT_THAT(SharesOf(profile),
              IsSupersetOf({Pair("self.cycles-pp.free", 100.0),
                            Pair("calltrace.cycles-pp.free.shrink_list.main", 100.0)}));
}

// lkp.md 2.4: two decimals, entries below 0.05 are not stored. 1 of 2300 is 0.043 %, 1 of 2100 is
// 0.048 %, which prints as 0.05.
TEST(ProfileSharesTest, KeepsTwoDecimalsAndNothingBelowAFiveHundredths) {
  ProfileShares rare;
  rare.Add("task;main", 2299);
  rare.Add("task;rare", 1);
  EXPECT_THAT(SharesOf(rare), Not(Contains(Key("self.cycles-pp.rare"))));
  ProfileShares seen;
  seen.Add("task;main", 2099);
  seen.Add("task;rare", 1);
  EXPECT_EQ(SharesOf(seen)["self.cycles-pp.rare"], 0.05);
  EXPECT_EQ(SharesOf(seen)["self.cycles-pp.main"], 99.95);
}

TEST(ProfileSharesTest, ASampleWithoutFunctionsCountsAsASample) {
  ProfileShares profile;
  profile.Add("swapper", 1);
  profile.Add("task;main", 1);
  EXPECT_EQ(SharesOf(profile)["self.cycles-pp.main"], 50);
  EXPECT_EQ(profile.sample_count(), 2);
}

TEST(ProfileSharesTest, NothingSampledHasNoShares) {
  EXPECT_THAT(SharesOf(ProfileShares()), IsEmpty());
}

TEST(ProfileSharesTest, ANameThatIsTooLongForAMetricHasNoRow) {
  ProfileShares profile;
  profile.Add("task;main;" + std::string(400, 'a') + ";" + std::string(400, 'b'), 1);
  for (const auto& [name, percent] : SharesOf(profile)) EXPECT_LE(name.size(), 512U - 13U);
  EXPECT_EQ(SharesOf(profile)["self.cycles-pp." + std::string(400, 'b')], 100);
  profile.Add("task;" + std::string(513, 'c'), 1);
  EXPECT_EQ(SharesOf(profile)["children.cycles-pp.main"], 50);
}

TEST(ProfileSharesTest, AtTheLimitWhatCameFirstStaysRight) {
  ProfileShares profile({.function_count = 2, .chain_count = 2});
  profile.Add("task;main;hot", 90);
  EXPECT_FALSE(profile.reached_limit());
  profile.Add("task;main;other", 10);
  EXPECT_TRUE(profile.reached_limit());
  EXPECT_THAT(SharesOf(profile),
              ElementsAre(Pair("calltrace.cycles-pp.hot.main", 90),
                          Pair("calltrace.cycles-pp.main", 100), Pair("children.cycles-pp.hot", 90),
                          Pair("children.cycles-pp.main", 100), Pair("self.cycles-pp.hot", 90)));
}

}  // namespace
}  // namespace regressd::analysis
