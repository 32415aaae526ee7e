// Run groups: what is compared.

#include "tests/storage/contract_fixture.h"

namespace regressd::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using GroupContractTest = StoreContractTest;

GroupFilter OfCommits(std::vector<std::string> commit_ids) {
  GroupFilter filter;
  filter.commit_ids = std::move(commit_ids);
  return filter;
}

TEST_F(GroupContractTest, AGroupHasItsRunsByStartTimeWithAllTheirValues) {
  model::RunSpec late = NewSpec("abc");
  late.start_time = At(1000);
  model::RunSpec early = NewSpec("abc");
  early.start_time = At(1);
  early.facts.cpu_model = "Xeon";
  early.commit.describe = "v6.18";
  Finish(late, {{"both", 20}, {"only-late", 5}});
  Finish(early, {{"both", 10}});

  const auto groups = runs().LoadGroups(OfCommits({"abc"}));
  ASSERT_TRUE(groups.ok()) << groups.status();
  ASSERT_THAT(*groups, SizeIs(1));
  const model::RunGroup& group = groups->front();
  EXPECT_EQ(group.axes.list(), axes_.list());
  EXPECT_EQ(group.commit.commit_id, "abc");
  EXPECT_EQ(group.commit.describe, "v6.18");
  EXPECT_THAT(group.runs, ElementsAre(early.key, late.key));
  EXPECT_EQ(group.facts.cpu_model, "Xeon");
  ASSERT_THAT(group.metrics, SizeIs(2));
  EXPECT_EQ(group.metrics[0].metric, Gauge("both"));
  EXPECT_THAT(group.metrics[0].values, ElementsAre(10, 20));
  EXPECT_THAT(group.metrics[0].run_index, ElementsAre(0, 1));
  EXPECT_EQ(group.metrics[1].metric.name, "only-late");
  EXPECT_THAT(group.metrics[1].values, ElementsAre(5));
  EXPECT_THAT(group.metrics[1].run_index, ElementsAre(1));
}

TEST_F(GroupContractTest, FailedAndExcludedRunsAreCountedAndNotCompared) {
  FinishNew("abc", 1);
  const model::RunSpec excluded = FinishNew("abc", 2);
  ASSERT_TRUE(runs().Exclude(excluded.key.run_id, "noisy", "ann").ok());
  Finish(NewSpec("abc"), {{"m", 3}}, EndedAt(At(1), 1));
  ASSERT_TRUE(ingest().OpenRun(NewSpec("abc"), "bot").ok());
  Finish(NewSpec("abd"), {{"m", 4}}, EndedAt(At(1), 1));
  ASSERT_TRUE(ingest().OpenRun(NewSpec("abe"), "bot").ok());

  const auto groups = runs().LoadGroups(OfCommits({"abc", "abd", "abe"}));
  ASSERT_TRUE(groups.ok()) << groups.status();
  ASSERT_THAT(*groups, SizeIs(2));
  EXPECT_THAT((*groups)[0].runs, SizeIs(1));
  EXPECT_EQ((*groups)[0].failed_run_count, 1);
  EXPECT_EQ((*groups)[0].excluded_run_count, 1);
  ASSERT_THAT((*groups)[0].metrics, SizeIs(1));
  EXPECT_THAT((*groups)[0].metrics[0].values, ElementsAre(1));
  EXPECT_EQ((*groups)[1].commit.commit_id, "abd");
  EXPECT_THAT((*groups)[1].runs, IsEmpty());
  EXPECT_THAT((*groups)[1].metrics, IsEmpty());
  EXPECT_EQ((*groups)[1].failed_run_count, 1);
}

TEST_F(GroupContractTest, AxesWithEqualPairsAreOneGroupInTheOrderThatCameFirst) {
  const model::Axes first = AxesOf({{"testcase", "t"}, {"nr_task", "8"}});
  const model::Axes second = AxesOf({{"nr_task", "8"}, {"testcase", "t"}});
  Finish(NewSpec("abc", first), {{"m", 1}});
  Finish(NewSpec("abc", second), {{"m", 2}});
  const auto groups = runs().LoadGroups(OfCommits({"abc"}));
  ASSERT_TRUE(groups.ok()) << groups.status();
  ASSERT_THAT(*groups, SizeIs(1));
  EXPECT_THAT((*groups)[0].runs, SizeIs(2));
  EXPECT_EQ((*groups)[0].axes.list(), first.list());
}

TEST_F(GroupContractTest, ChoosesByCommitAndByAxes) {
  const model::Axes eight = AxesOf({{"testcase", "t"}, {"nr_task", "8"}});
  const model::Axes sixteen = AxesOf({{"testcase", "t"}, {"nr_task", "16"}});
  for (const model::Axes* axes : {&eight, &sixteen}) {
    for (const char* commit : {"b", "a", "c"}) Finish(NewSpec(commit, *axes), {{"m", 1}});
  }
  const auto names = [&](const GroupFilter& filter) {
    std::vector<std::string> texts;
    const auto groups = runs().LoadGroups(filter);
    EXPECT_TRUE(groups.ok()) << groups.status();
    for (const model::RunGroup& group : *groups) {
      texts.push_back(std::string(*group.axes.Find("nr_task")) + " " + group.commit.commit_id);
    }
    return texts;
  };
  GroupFilter filter = OfCommits({"b", "a"});
  // Canonical text: "nr_task=16\n..." comes before "nr_task=8\n...".
  EXPECT_THAT(names(filter), ElementsAre("16 a", "16 b", "8 a", "8 b"));
  filter.axes = AxesOf({{"nr_task", "8"}});
  EXPECT_THAT(names(filter), ElementsAre("8 a", "8 b"));
  filter.axes_id = sixteen.Id();
  EXPECT_THAT(names(filter), IsEmpty());
  filter.axes = {};
  EXPECT_THAT(names(filter), ElementsAre("16 a", "16 b"));
  EXPECT_THAT(names(OfCommits({})), IsEmpty());
  EXPECT_THAT(names(OfCommits({"d"})), IsEmpty());
}

}  // namespace
}  // namespace regressd::storage
