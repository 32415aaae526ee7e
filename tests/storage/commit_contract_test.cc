// Commits and patches: adding, completing, finding.

#include <latch>
#include <span>
#include <thread>

#include "tests/storage/contract_fixture.h"
#include "tests/support/nouns_of.h"

namespace regressd::storage {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

using CommitContractTest = StoreContractTest;

constexpr char kOne[] = "1111111111111111111111111111111111111111";
constexpr char kTwo[] = "1111111222222222222222222222222222222222";

model::Commit PatchOn(const std::string& message_id, const std::string& base) {
  model::Commit commit;
  commit.patch = model::Patch{.message_id = message_id,
                              .base_commit_id = base,
                              .number = 3,
                              .total = 7,
                              .series_version = 2,
                              .subject = "[PATCH v2 3/7] mm: swap faster",
                              .author = "Ann <ann@example.org>"};
  return commit;
}

std::vector<std::string> IdsOf(const std::vector<CommitEntry>& entries) {
  std::vector<std::string> ids;
  for (const CommitEntry& entry : entries) ids.push_back(entry.commit.commit_id);
  return ids;
}

TEST_F(CommitContractTest, AddsCompletesAndLeavesWhatIsKnown) {
  model::Commit bare = CommitOf(kOne);
  bare.subject = "mm: first";
  bare.branches = {"mm-unstable"};
  auto outcome = commits().AddCommits(std::vector{bare}, "bot");
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->added_count, 1);

  model::Commit more = CommitOf(kOne);
  more.subject = "another subject";
  more.describe = "v6.18-1-g1111111";
  more.author = "Ann <ann@example.org>";
  more.author_time = At(-1);
  more.parent_ids = {kTwo, "3333333"};
  more.branches = {"mainline"};
  more.trailers = {"Fixes: 3333333 (\"mm: {a}, b\")", "Link: https://example.org/\\"};
  outcome = commits().AddCommits(std::vector{more, CommitOf(kTwo)}, "bot");
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->added_count, 1);
  EXPECT_EQ(outcome->completed_count, 1);
  EXPECT_EQ(outcome->unchanged_count, 0);

  outcome = commits().AddCommits(std::vector{more, CommitOf(kTwo)}, "bot");
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->added_count, 0);
  EXPECT_EQ(outcome->completed_count, 0);
  EXPECT_EQ(outcome->unchanged_count, 2);

  const auto stored = commits().Resolve(kOne);
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_EQ(stored->subject, "mm: first");
  EXPECT_EQ(stored->describe, more.describe);
  EXPECT_EQ(stored->author, more.author);
  EXPECT_EQ(stored->author_time, At(-1));
  EXPECT_EQ(stored->parent_ids, more.parent_ids);
  EXPECT_EQ(stored->trailers, more.trailers);
  EXPECT_THAT(stored->branches, ElementsAre("mainline", "mm-unstable"));
  EXPECT_FALSE(stored->root);
}

TEST_F(CommitContractTest, OtherParentsAreAContradictionAndNothingIsAdded) {
  model::Commit known = CommitOf(kOne);
  known.parent_ids = {"aaaaaaa", "bbbbbbb"};
  ASSERT_TRUE(commits().AddCommits(std::vector{known}, "bot").ok());
  known.parent_ids = {"ccccccc"};
  const auto status = commits().AddCommits(std::vector{CommitOf(kTwo), known}, "bot").status();
  EXPECT_THAT(status, HasCode(absl::StatusCode::kAlreadyExists));
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr(kOne), HasSubstr("aaaaaaa bbbbbbb"), HasSubstr("ccccccc")));
  EXPECT_THAT(commits().Resolve(kTwo).status(), HasCode(absl::StatusCode::kNotFound));
  // The same parents in another order are other parents: the first one is the line.
  known.parent_ids = {"bbbbbbb", "aaaaaaa"};
  EXPECT_THAT(commits().AddCommits(std::vector{known}, "bot").status(),
              HasCode(absl::StatusCode::kAlreadyExists));
  known.parent_ids = {};
  known.root = true;
  EXPECT_THAT(commits().AddCommits(std::vector{known}, "bot").status(),
              HasCode(absl::StatusCode::kAlreadyExists));
}

TEST_F(CommitContractTest, ARootIsNotACommitWithoutKnownParents) {
  model::Commit root = CommitOf(kOne);
  root.root = true;
  ASSERT_TRUE(commits().AddCommits(std::vector{root, CommitOf(kTwo)}, "bot").ok());
  EXPECT_TRUE(commits().Resolve(kOne)->root);
  EXPECT_FALSE(commits().Resolve(kTwo)->root);
}

TEST_F(CommitContractTest, RefusesWhatCannotBe) {
  const auto add = [&](const model::Commit& commit) {
    return commits().AddCommits(std::vector{commit}, "bot").status();
  };
  EXPECT_THAT(add(CommitOf("")), HasCode(absl::StatusCode::kInvalidArgument));
  model::Commit commit = CommitOf(kOne);
  commit.parent_ids = {kOne};
  EXPECT_THAT(add(commit), HasCode(absl::StatusCode::kInvalidArgument));
  commit.parent_ids = {""};
  EXPECT_THAT(add(commit), HasCode(absl::StatusCode::kInvalidArgument));
  commit = PatchOn("m1@example.org", kOne);
  commit.commit_id = kTwo;
  EXPECT_THAT(add(commit), HasCode(absl::StatusCode::kInvalidArgument));
}

TEST_F(CommitContractTest, NoCommitBecomesItsOwnAncestor) {
  AddCommit("a", {"b"});
  AddCommit("b", {"other", "c"});
  model::Commit last = CommitOf("c");
  last.parent_ids = {"a"};
  const auto status = commits().AddCommits(std::vector{CommitOf("d"), last}, "bot").status();
  EXPECT_THAT(status, HasCode(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(std::string(status.message()),
              AnyOf(HasSubstr("a -> b -> c -> a"), HasSubstr("b -> c -> a -> b"),
                    HasSubstr("c -> a -> b -> c")));
  EXPECT_THAT(commits().Resolve("d").status(), HasCode(absl::StatusCode::kNotFound));

  model::Commit one = CommitOf("one");
  one.parent_ids = {"two"};
  model::Commit two = CommitOf("two");
  two.parent_ids = {"one"};
  EXPECT_THAT(commits().AddCommits(std::vector{one, two}, "bot").status(),
              HasCode(absl::StatusCode::kInvalidArgument));
  // Two ways to one ancestor are no cycle.
  AddCommit("e", {"a", "b"});
}

TEST_F(CommitContractTest, ALongHistoryIsNoCycleFromWhicheverEndItIsTold) {
  // Longer than what is read at first.
  std::vector<model::Commit> history;
  for (int i = 0; i < 3000; ++i) {
    history.push_back(CommitOf("c" + std::to_string(i)));
    history.back().parent_ids = {"c" + std::to_string(i + 1)};
  }
  for (const auto& part : {std::span(history).subspan(1000, 1000), std::span(history).first(1000),
                           std::span(history).last(1000)}) {
    const auto outcome = commits().AddCommits(part, "bot");
    ASSERT_TRUE(outcome.ok()) << outcome.status();
    EXPECT_EQ(outcome->added_count, 1000);
  }
  model::Commit oldest = CommitOf("c3000");
  oldest.parent_ids = {"c0"};
  EXPECT_THAT(commits().AddCommits(std::vector{oldest}, "bot").status(),
              HasCode(absl::StatusCode::kInvalidArgument));
}

TEST_F(CommitContractTest, ARunIsNotLostForParentsThatGoInACircle) {
  AddCommit("a", {"b"});
  model::RunSpec spec = NewSpec("b");
  spec.commit.parent_ids = {"a"};
  spec.commit.subject = "mm: b";
  Finish(spec);
  const auto stored = commits().Resolve("b");
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_THAT(stored->parent_ids, IsEmpty());
  EXPECT_FALSE(stored->root);
  EXPECT_EQ(stored->subject, "mm: b");
}

TEST_F(CommitContractTest, OfTwoWritersThatCloseACycleTogetherOneIsHeard) {
  for (int round = 0; round < 20; ++round) {
    const std::string a = "a" + std::to_string(round);
    const std::string b = "b" + std::to_string(round);
    model::RunSpec spec = NewSpec(b);
    spec.commit.parent_ids = {a};
    const auto agent = Connect();
    std::latch start(3);
    std::vector<absl::Status> added(2);
    std::vector<std::jthread> writers;
    const auto add = [&](std::size_t place, const std::string& child, const std::string& parent) {
      model::Commit commit = CommitOf(child);
      commit.parent_ids = {parent};
      start.arrive_and_wait();
      added[place] = commits().AddCommits(std::vector{commit}, "bot").status();
    };
    writers.emplace_back(add, 0, a, b);
    writers.emplace_back(add, 1, b, a);
    writers.emplace_back([&] {
      start.arrive_and_wait();
      EXPECT_TRUE(agent->OpenRun(spec, "tester").ok());
    });
    for (std::jthread& writer : writers) writer.join();
    const auto one = commits().Resolve(a);
    const auto other = commits().Resolve(b);
    const bool a_knows = one.ok() && !one->parent_ids.empty();
    const bool b_knows = other.ok() && !other->parent_ids.empty();
    EXPECT_NE(a_knows, b_knows) << added[0] << " " << added[1];
    EXPECT_EQ(added[0].ok(), a_knows) << added[0];
    EXPECT_EQ(added[1].ok(), b_knows) << added[1];
  }
}

TEST_F(CommitContractTest, OneCallMayNameACommitTwice) {
  model::Commit parents = CommitOf(kOne);
  parents.parent_ids = {kTwo};
  const auto outcome =
      commits().AddCommits(std::vector{CommitOf(kOne), parents, CommitOf(kOne)}, "bot");
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->added_count, 1);
  EXPECT_EQ(outcome->completed_count, 1);
  EXPECT_EQ(outcome->unchanged_count, 1);
  EXPECT_THAT(commits().Resolve(kOne)->parent_ids, ElementsAre(kTwo));
}

TEST_F(CommitContractTest, ResolvesByIdPrefixAndDescribe) {
  model::Commit described = CommitOf(kOne);
  described.describe = "v6.18-1-g1111111";
  ASSERT_TRUE(commits().AddCommits(std::vector{described, CommitOf(kTwo)}, "bot").ok());
  EXPECT_EQ(commits().Resolve(kTwo)->commit_id, kTwo);
  EXPECT_EQ(commits().Resolve("11111112")->commit_id, kTwo);
  EXPECT_EQ(commits().Resolve("v6.18-1-g1111111")->commit_id, kOne);
  const auto several = commits().Resolve("1111111").status();
  EXPECT_THAT(several, HasCode(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(std::string(several.message()), AllOf(HasSubstr(kOne), HasSubstr(kTwo)));
  // Six digits name nothing, even when only one commit has them.
  EXPECT_THAT(commits().Resolve("111111").status(), HasCode(absl::StatusCode::kNotFound));
  // A wildcard is a character.
  EXPECT_THAT(commits().Resolve("1111111%").status(), HasCode(absl::StatusCode::kNotFound));
  EXPECT_THAT(commits().Resolve("").status(), HasCode(absl::StatusCode::kNotFound));
  const auto near = commits().Resolve("v6.18-1-g1111112").status();
  EXPECT_THAT(near, HasCode(absl::StatusCode::kNotFound));
  EXPECT_THAT(std::string(near.message()), HasSubstr("v6.18-1-g1111111"));
}

TEST_F(CommitContractTest, ADescribeOfTwoCommitsNamesNone) {
  model::Commit one = CommitOf(kOne);
  model::Commit two = CommitOf(kTwo);
  one.describe = two.describe = "v6.18-dirty";
  ASSERT_TRUE(commits().AddCommits(std::vector{one, two}, "bot").ok());
  EXPECT_THAT(commits().Resolve("v6.18-dirty").status(),
              HasCode(absl::StatusCode::kInvalidArgument));
}

TEST_F(CommitContractTest, AMessageIdNamesThePatchOnItsNewestBase) {
  ASSERT_TRUE(commits().AddCommits(std::vector{PatchOn("m1@example.org", kOne)}, "bot").ok());
  store().PassTime();
  ASSERT_TRUE(commits().AddCommits(std::vector{PatchOn("m1@example.org", kTwo)}, "bot").ok());
  const auto patch = commits().Resolve("<m1@example.org>");
  ASSERT_TRUE(patch.ok()) << patch.status();
  EXPECT_EQ(patch->commit_id, std::string("patch:m1@example.org@") + kTwo);
  ASSERT_TRUE(patch->patch.has_value());
  EXPECT_EQ(patch->patch->base_commit_id, kTwo);
  EXPECT_EQ(patch->patch->number, 3);
  EXPECT_EQ(patch->patch->total, 7);
  EXPECT_EQ(patch->patch->series_version, 2);
  EXPECT_EQ(patch->patch->subject, "[PATCH v2 3/7] mm: swap faster");
  EXPECT_EQ(patch->author, "Ann <ann@example.org>");
  EXPECT_EQ(commits().Resolve("m1@example.org")->commit_id, patch->commit_id);
}

TEST_F(CommitContractTest, ARunFillsInWhatItsCommitLacks) {
  AddCommit(kOne, {kTwo});
  model::RunSpec spec = NewSpec(kOne);
  spec.commit.describe = "v6.18-1-g1111111";
  ASSERT_TRUE(ingest().OpenRun(spec, "bot").ok());
  EXPECT_EQ(commits().Resolve(kOne)->describe, "v6.18-1-g1111111");
  EXPECT_THAT(commits().Resolve(kOne)->parent_ids, ElementsAre(kTwo));
}

TEST_F(CommitContractTest, ListsByBranchAndRunsPageByPage) {
  for (const char* id : {"a", "b", "c", "d"}) {
    model::Commit commit = CommitOf(id);
    commit.branches = {std::string(id) < "c" ? "mainline" : "next"};
    store().PassTime();
    ASSERT_TRUE(commits().AddCommits(std::vector{commit}, "bot").ok());
  }
  FinishNew("b");
  FinishNew("b");
  Finish(NewSpec("c"), {{"m", 1}}, EndedAt(At(1), 1));
  const auto listed = commits().ListCommits("", false, std::nullopt, 3);
  const auto all = test::NounsOf(listed);
  EXPECT_THAT(IdsOf(all), ElementsAre("d", "c", "b"));
  EXPECT_EQ(all.at(2).run_count, 2);
  EXPECT_EQ(all.at(1).run_count, 0);
  const CommitPosition after = listed->back().position;
  EXPECT_THAT(IdsOf(test::NounsOf(commits().ListCommits("", false, after, 3))), ElementsAre("a"));
  EXPECT_THAT(IdsOf(test::NounsOf(commits().ListCommits("mainline", false, std::nullopt, 9))),
              ElementsAre("b", "a"));
  EXPECT_THAT(IdsOf(test::NounsOf(commits().ListCommits("", true, std::nullopt, 9))),
              ElementsAre("b"));
  EXPECT_THAT(*commits().ListCommits("nowhere", false, std::nullopt, 9), IsEmpty());
}

const std::string kSha = "1a2b3c4d5e6f708192a3b4c5d6e7f80910213243";
const std::string kNear = "1a2b3c4d00000000000000000000000000000000";

class CommitNamesContractTest : public StoreContractTest {
 protected:
  AddCommitsOutcome Add(const std::string& commit_id, const std::vector<std::string>& tags = {}) {
    model::Commit commit = CommitOf(commit_id);
    commit.tags = tags;
    const auto added = commits().AddCommits(std::span(&commit, 1), "tester");
    EXPECT_TRUE(added.ok()) << added.status();
    return added.value_or(AddCommitsOutcome());
  }
  /// The commit that a run is of.
  std::string CommitOfRun(const model::RunSpec& spec) {
    const auto run = runs().GetRun(spec.key.uuid);
    EXPECT_TRUE(run.ok()) << run.status();
    return run.ok() ? run->spec.commit.commit_id : "";
  }
  std::string Id(const std::string& name) {
    const auto commit = commits().Resolve(name);
    return commit.ok() ? commit->commit_id : std::string(commit.status().message());
  }
};

TEST_F(CommitNamesContractTest, AKnownCommitIsOneUnderItsShaItsFirstDigitsATagAndADescribe) {
  Add(kSha, {"v6.12", "v6.12-final"});
  for (const std::string& name : {kSha, std::string("1a2b3c4"), std::string("1A2B3C4D5E"),
                                  std::string("v6.12"), std::string("v6.11-17-g1a2b3c4d5e6f")}) {
    EXPECT_EQ(CommitOfRun(FinishNew(name)), kSha) << name;
    EXPECT_EQ(Id(name), kSha) << name;
  }
  EXPECT_EQ(commits().Resolve(kSha)->tags, (std::vector<std::string>{"v6.12", "v6.12-final"}));
  EXPECT_THAT(*runs().LoadGroups({.commit_ids = {kSha}, .axes = {}, .axes_id = {}}), SizeIs(1));
}

TEST_F(CommitNamesContractTest, DigitsAndTagsThatSeveralCommitsHaveAreRefusedWithBoth) {
  Add(kSha, {"stable"});
  Add(kNear, {"stable"});
  for (const char* name : {"1a2b3c4", "stable"}) {
    const auto opened = ingest().OpenRun(NewSpec(name), "bot");
    EXPECT_THAT(opened.status(), HasCode(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(std::string(opened.status().message()), AllOf(HasSubstr(kSha), HasSubstr(kNear)));
    EXPECT_THAT(Id(name), AllOf(HasSubstr(kSha), HasSubstr(kNear)));
  }
  EXPECT_EQ(CommitOfRun(FinishNew("1a2b3c4d5")), kSha);
}

TEST_F(CommitNamesContractTest, ARunGoesOnUnderANameThatSeveralCommitsHaveMeanwhile) {
  Add(kSha);
  const model::RunSpec spec = NewSpec("1a2b3c4");
  ASSERT_TRUE(ingest().OpenRun(spec, "bot").ok());
  Add(kNear);
  const auto again = ingest().OpenRun(spec, "bot");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->epoch, 2);
}

TEST_F(CommitNamesContractTest, RunsUnderANameBecomeThoseOfTheCommitOnceItIsTold) {
  const model::RunSpec by_digits = FinishNew("1a2b3c4");
  const model::RunSpec by_tag = FinishNew("v6.12");
  EXPECT_EQ(CommitOfRun(by_digits), "1a2b3c4");
  const model::RunSpec by_sha = FinishNew(kSha);
  EXPECT_EQ(Add(kSha, {"v6.12"}).linked_count, 2);
  for (const model::RunSpec& spec : {by_digits, by_tag, by_sha}) {
    EXPECT_EQ(CommitOfRun(spec), kSha);
  }
  const auto groups = runs().LoadGroups({.commit_ids = {kSha}, .axes = {}, .axes_id = {}});
  ASSERT_THAT(*groups, SizeIs(1));
  EXPECT_THAT(groups->front().runs, SizeIs(3));
  const auto listed = test::NounsOf(commits().ListCommits("", false, std::nullopt, 9));
  ASSERT_THAT(listed, SizeIs(1));
  EXPECT_EQ(listed[0].run_count, 3);
  // A broken stream that says the old name again goes on.
  EXPECT_TRUE(ingest().OpenRun(by_digits, "bot").ok());
  EXPECT_EQ(Add(kSha, {"v6.12"}).linked_count, 0);
}

TEST_F(CommitNamesContractTest, AnAmbiguousNameStaysWhatItIs) {
  const model::RunSpec run = FinishNew("1a2b3c4");
  const std::vector<model::Commit> both = {CommitOf(kSha), CommitOf(kNear)};
  const auto added = commits().AddCommits(both, "tester");
  ASSERT_TRUE(added.ok()) << added.status();
  EXPECT_EQ(added->linked_count, 0);
  EXPECT_EQ(CommitOfRun(run), "1a2b3c4");
}

TEST_F(CommitNamesContractTest, WhatWasFoundUnderANameIsFoundOfTheCommitAndToldOnce) {
  const std::string base = "00ff00ff00ff00ff00ff00ff00ff00ff00ff00ff";
  FinishNew(base);
  FinishNew("1a2b3c4");
  FinishNew(kSha);
  model::Regression found;
  found.title = "t";
  found.headline_metric = "m";
  found.metrics.emplace_back().metric.name = "m";
  ProcessAll([&](const DueGroup& group) -> absl::StatusOr<std::vector<Detection>> {
    if (group.commit_id == base) return std::vector<Detection>();
    return std::vector{Detection{.axes_id = group.axes_id,
                                 .base_commit_id = base,
                                 .head_commit_id = group.commit_id,
                                 .regression = found}};
  });
  ASSERT_THAT(test::NounsOf(regressions().ListRegressions({}, std::nullopt, 9)), SizeIs(2));
  EXPECT_EQ(Add(kSha).linked_count, 1);
  RegressionFilter open;
  open.states = {model::RegressionState::kNew};
  const auto left = test::NounsOf(regressions().ListRegressions(open, std::nullopt, 9));
  ASSERT_THAT(left, SizeIs(1));
  EXPECT_EQ(left[0].head.commit_id, kSha);
  EXPECT_EQ(*regressions().CountDue(), 1);  // The joined group is judged again.
}

TEST_F(CommitNamesContractTest, APatchOnANameBecomesAPatchOnTheCommit) {
  model::RunSpec spec = NewSpec("x");
  spec.commit = {};
  model::Patch& patch = spec.commit.patch.emplace();
  patch.message_id = "m@x";
  patch.base_commit_id = "1a2b3c4";
  ASSERT_TRUE(ingest().OpenRun(spec, "bot").ok());
  EXPECT_EQ(CommitOfRun(spec), "patch:m@x@1a2b3c4");
  EXPECT_EQ(Add(kSha).linked_count, 1);
  EXPECT_EQ(CommitOfRun(spec), "patch:m@x@" + kSha);
  EXPECT_EQ(commits().Resolve("m@x")->patch->base_commit_id, kSha);
  EXPECT_TRUE(ingest().OpenRun(spec, "bot").ok());
}

TEST_F(CommitNamesContractTest, ABranchIsNoCommit) {
  model::Commit commit = CommitOf(kSha);
  commit.branches = {"mm-unstable"};
  ASSERT_TRUE(commits().AddCommits(std::span(&commit, 1), "tester").ok());
  for (const char* name : {"mm-unstable", "HEAD", "refs/heads/x"}) {
    const auto opened = ingest().OpenRun(NewSpec(name), "bot");
    EXPECT_THAT(opened.status(), HasCode(absl::StatusCode::kInvalidArgument)) << name;
    EXPECT_THAT(std::string(opened.status().message()), HasSubstr("is a branch")) << name;
    EXPECT_THAT(Id(name), HasSubstr("is a branch")) << name;
  }
}

TEST_F(CommitNamesContractTest, ARunIsToldWhichOfItsParentsWereNotTaken) {
  AddCommit("a", {"b"});
  model::RunSpec cycle = NewSpec("b");
  cycle.commit.parent_ids = {"a"};
  ASSERT_TRUE(ingest().OpenRun(cycle, "bot").ok());
  EXPECT_THAT(runs().GetRun(cycle.key.uuid)->spec.monitor_notes,
              Contains(Pair("commit parents", HasSubstr("would be its own ancestor"))));
  model::RunSpec other = NewSpec("a");
  other.commit.parent_ids = {"c"};
  ASSERT_TRUE(ingest().OpenRun(other, "bot").ok());
  EXPECT_THAT(runs().GetRun(other.key.uuid)->spec.monitor_notes,
              Contains(Pair("commit parents", HasSubstr("is known with parents b, not c"))));
  model::RunSpec same = NewSpec("a");
  same.commit.parent_ids = {"b"};
  ASSERT_TRUE(ingest().OpenRun(same, "bot").ok());
  EXPECT_THAT(runs().GetRun(same.key.uuid)->spec.monitor_notes, IsEmpty());
}

}  // namespace
}  // namespace regressd::storage
