#include "services/model/axes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace regressd::model {
namespace {

Axes Of(std::initializer_list<Axis> axes) { return Axes(std::vector<Axis>(axes)); }

TEST(AxesTest, AreTheSameInAnyPrintOrder) {
  const Axes a = Of({{"testcase", "vm-scalability"}, {"nr_task", "8"}});
  const Axes b = Of({{"nr_task", "8"}, {"testcase", "vm-scalability"}});
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.Id(), b.Id());
  EXPECT_NE(a.list(), b.list());
  EXPECT_EQ(a.Canonical(), "nr_task=8\ntestcase=vm-scalability\n");
  // Python 3.11: int.from_bytes(hashlib.sha256(canonical).digest()[:8], "big") >> 1.
  EXPECT_EQ(a.Id(), 6802157549506047175);
}

TEST(AxesTest, NoTwoSetsOfPairsHaveOneCanonicalText) {
  const std::vector<Axes> all{
      Of({{"a", "b"}}),    Of({{"a", "b\nc=d"}}), Of({{"a", "b"}, {"c", "d"}}),
      Of({{"a=b", "c"}}),  Of({{"a", "b=c"}}),    Of({{"a\\", "b"}}),
      Of({{"a", "\\b"}}),  Of({{"a", "\\\\b"}}),  Of({{"a\nb", ""}}),
      Of({{"a\\nb", ""}}), Of({{"a", ""}}),       Axes(),
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(all[i].Canonical(), all[k].Canonical());
  }
}

TEST(AxesTest, SettingAKnownKeyKeepsItsPlace) {
  Axes axes = Of({{"testcase", "t"}, {"nr_task", "8"}});
  axes.Set("testcase", "u");
  axes.Set("runtime", "300");
  EXPECT_THAT(axes.list(), ::testing::ElementsAre(Axis{"testcase", "u"}, Axis{"nr_task", "8"},
                                                  Axis{"runtime", "300"}));
  EXPECT_EQ(axes.Find("testcase"), "u");
  EXPECT_EQ(axes.Find("test"), std::nullopt);
}

TEST(AxesTest, ContainAPartWithEqualValuesOnly) {
  const Axes axes = Of({{"testcase", "t"}, {"nr_task", ""}});
  EXPECT_TRUE(axes.Contains(Axes()));
  EXPECT_TRUE(axes.Contains(Of({{"nr_task", ""}})));
  EXPECT_TRUE(axes.Contains(axes));
  EXPECT_FALSE(axes.Contains(Of({{"testcase", "tt"}})));
  EXPECT_FALSE(axes.Contains(Of({{"testcase", "t"}, {"runtime", ""}})));
}

// LKP's rule: without a trailing "-<digits>", then an inner "-<digits>-" becomes "-".
TEST(TboxGroupTest, IsTheHostNameWithoutItsNumbers) {
  EXPECT_EQ(TboxGroup("lkp-hsw-ep2-1"), "lkp-hsw-ep2");
  EXPECT_EQ(TboxGroup("lkp-hsw-ep2"), "lkp-hsw-ep2");
  EXPECT_EQ(TboxGroup("vm-12-eu-7"), "vm-eu");
  EXPECT_EQ(TboxGroup("box"), "box");
  EXPECT_EQ(TboxGroup("box-"), "box-");
  EXPECT_EQ(TboxGroup("-1"), "-1");
  EXPECT_EQ(TboxGroup(""), "");
}

}  // namespace
}  // namespace regressd::model
