// Which groups are compared with which.

#include "tests/storage/contract_fixture.h"

namespace regressd::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using BaseContractTest = StoreContractTest;

TEST_F(BaseContractTest, TheBaseIsTheNearestFirstParentWithAGroupOfTheSameAxes) {
  AddCommit("a", {});
  AddCommit("b", {"a"});
  AddCommit("side", {"a"});
  AddCommit("c", {"b", "side"});
  FinishNew("a");
  FinishNew("side");
  Finish(NewSpec("b", AxesOf({{"testcase", "other"}})));
  FinishNew("c");
  EXPECT_THAT(Pairs("c"), ElementsAre("a..c"));
  EXPECT_THAT(Pairs("a"), UnorderedElementsAre("a..c", "a..side"));
}

TEST_F(BaseContractTest, ACommitThatComesInBetweenTakesItsPlace) {
  AddCommit("a", {});
  AddCommit("b", {"a"});
  AddCommit("c", {"b"});
  FinishNew("a");
  FinishNew("c");
  EXPECT_THAT(Pairs("c"), ElementsAre("a..c"));
  JudgeAll();
  FinishNew("b");
  EXPECT_THAT(Pairs("b"), ElementsAre("a..b", "b..c"));
  JudgeAll();
  EXPECT_THAT(Pairs("c"), ElementsAre("b..c"));
  EXPECT_THAT(Pairs("a"), ElementsAre("a..b"));
}

TEST_F(BaseContractTest, ThePatchIsComparedWithWhatItWasAppliedOn) {
  FinishNew("base");
  FinishNew("newer");
  model::RunSpec spec = NewSpec("");
  spec.commit = {};
  spec.commit.patch = model::Patch{.message_id = "m1@example.org",
                                   .base_commit_id = "base",
                                   .subject = "[PATCH] mm: swap faster",
                                   .author = "Ann <ann@example.org>"};
  Finish(spec);
  const std::string patch_id = "patch:m1@example.org@base";
  EXPECT_THAT(Pairs(patch_id), ElementsAre("base.." + patch_id));
  JudgeAll();
  EXPECT_THAT(Pairs("base"), UnorderedElementsAre("base..newer", "base.." + patch_id));
  // The next kernel is not compared with a patched one.
  FinishNew("newest");
  EXPECT_THAT(Pairs("newest"), ElementsAre("newer..newest"));
}

TEST_F(BaseContractTest, ACommitWithUnknownParentsIsComparedWithWhatArrivedBefore) {
  FinishNew("first");
  EXPECT_THAT(Pairs("first"), IsEmpty());
  FinishNew("second");
  FinishNew("third");
  EXPECT_THAT(Pairs("third"), ElementsAre("second..third"));
  EXPECT_THAT(Pairs("second"), ElementsAre("first..second", "second..third"));
}

TEST_F(BaseContractTest, ARootHasNoBase) {
  FinishNew("other");
  AddCommit("root", {});
  FinishNew("root");
  EXPECT_THAT(Pairs("root"), IsEmpty());
}

TEST_F(BaseContractTest, ParentsThatAreNotStoredEndTheWay) {
  FinishNew("other");
  AddCommit("c", {"unknown"});
  FinishNew("c");
  EXPECT_THAT(Pairs("c"), IsEmpty());
}

TEST_F(BaseContractTest, LearnedParentsQueueTheGroupsThatTheyMove) {
  FinishNew("a");
  AddCommit("c", {"b"});
  FinishNew("c");
  FinishNew("d");
  JudgeAll();
  EXPECT_THAT(Pairs("c"), ElementsAre("c..d"));

  JudgeAll();

  // b joins c to a. d does not hear of it: its own parents are unknown, and it has a base.
  AddCommit("b", {"a"});
  std::vector<std::string> due;
  ProcessAll([&](const DueGroup& group) {
    due.push_back(group.commit_id);
    return std::vector<Detection>{};
  });
  EXPECT_THAT(due, ElementsAre("c"));
  EXPECT_THAT(Pairs("c"), ElementsAre("a..c", "c..d"));

  AddCommit("d", {"a"});
  EXPECT_EQ(*regressions().CountDue(), 2);  // c was not judged with its base yet.
  EXPECT_THAT(Pairs("d"), ElementsAre("a..d"));

  // Nothing new is learned.
  JudgeAll();
  AddCommit("d", {"a"});
  EXPECT_EQ(*regressions().CountDue(), 0);
}

TEST_F(BaseContractTest, ABaseThatLosesItsRunsIsReplaced) {
  AddCommit("a", {});
  AddCommit("b", {"a"});
  AddCommit("c", {"b"});
  FinishNew("a");
  const model::RunSpec b = FinishNew("b");
  FinishNew("c");
  EXPECT_THAT(Pairs("b"), ElementsAre("a..b", "b..c"));
  JudgeAll();
  ASSERT_TRUE(runs().Exclude(b.key.run_id, "wrong kernel", "ann").ok());
  // a..b once more, so that what was found between them can go.
  EXPECT_THAT(Pairs("b"), ElementsAre("a..b", "a..c"));
  // A worker that dies here has changed nothing: the next one gets the same.
  EXPECT_THAT(Pairs("b"), ElementsAre("a..b", "a..c"));
  JudgeAll();
  EXPECT_THAT(Pairs("c"), ElementsAre("a..c"));
  EXPECT_THAT(Pairs("a"), ElementsAre("a..c"));
}

TEST_F(BaseContractTest, AHeadWithoutABaseLeftWaitsForAnother) {
  AddCommit("z", {});
  AddCommit("a", {"z"});
  AddCommit("b", {"a"});
  const model::RunSpec a = FinishNew("a");
  FinishNew("b");
  JudgeAll();
  ASSERT_TRUE(runs().Exclude(a.key.run_id, "wrong kernel", "ann").ok());
  EXPECT_THAT(Pairs("a"), ElementsAre("a..b"));
  JudgeAll();
  FinishNew("z");
  EXPECT_THAT(Pairs("z"), ElementsAre("z..b"));
  JudgeAll();
  EXPECT_THAT(Pairs("b"), ElementsAre("z..b"));
}

TEST_F(BaseContractTest, AGroupThatNobodyKnowsHasNoPairs) { EXPECT_THAT(Pairs("x"), IsEmpty()); }

}  // namespace
}  // namespace regressd::storage
