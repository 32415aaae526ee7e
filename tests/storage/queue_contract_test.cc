// The queue of groups to judge: once each, one worker a set of axes, nothing lost.

#include <latch>
#include <mutex>
#include <set>
#include <thread>

#include "tests/storage/contract_fixture.h"

namespace regressd::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using QueueContractTest = StoreContractTest;
using Detections = absl::StatusOr<std::vector<Detection>>;

Detections Nothing(const DueGroup&) { return std::vector<Detection>{}; }

TEST_F(QueueContractTest, AGroupIsDueOnceHoweverManyRunsEnded) {
  for (int i = 0; i < 3; ++i) FinishNew("abc");
  Finish(NewSpec("abd"), {{"m", 1}}, EndedAt(At(1), 1));  // Failed: changes no comparison.
  EXPECT_EQ(*regressions().CountDue(), 1);
  std::vector<DueGroup> judged;
  const auto processed = regressions().ProcessOneDue([&](const DueGroup& group) -> Detections {
    judged.push_back(group);
    return std::vector<Detection>{};
  });
  ASSERT_TRUE(processed.ok()) << processed.status();
  EXPECT_TRUE(*processed);
  ASSERT_THAT(judged, ::testing::SizeIs(1));
  EXPECT_EQ(judged[0].axes_id, axes_.Id());
  EXPECT_EQ(judged[0].commit_id, "abc");
  EXPECT_EQ(*regressions().CountDue(), 0);
  EXPECT_FALSE(*regressions().ProcessOneDue(Nothing));
}

TEST_F(QueueContractTest, OneWorkerAtATimeJudgesASetOfAxes) {
  FinishNew("a");
  FinishNew("b");
  Finish(NewSpec("c", AxesOf({{"testcase", "other"}})));
  std::latch judging(1);
  std::latch go_on(1);
  std::string first_judged;
  std::thread first([&] {
    const auto processed = regressions().ProcessOneDue([&](const DueGroup& group) -> Detections {
      first_judged = group.commit_id;
      judging.count_down();
      go_on.wait();
      return std::vector<Detection>{};
    });
    EXPECT_TRUE(processed.ok() && *processed);
  });
  judging.wait();
  std::vector<std::string> second_judged;
  const int count = ProcessAll([&](const DueGroup& group) -> Detections {
    second_judged.push_back(group.commit_id);
    return std::vector<Detection>{};
  });
  go_on.count_down();
  first.join();
  EXPECT_EQ(count, 1);
  EXPECT_EQ(first_judged, "a");
  EXPECT_THAT(second_judged, ElementsAre("c"));
  EXPECT_EQ(*regressions().CountDue(), 1);
  EXPECT_EQ(ProcessAll(Nothing), 1);
}

TEST_F(QueueContractTest, ARunThatEndsWhileItsGroupIsJudgedDoesNotWaitAndIsJudgedAfterwards) {
  FinishNew("abc", 1);
  std::size_t runs_after = 0;
  const auto processed = regressions().ProcessOneDue([&](const DueGroup&) -> Detections {
    FinishNew("abc", 2);
    GroupFilter filter;
    filter.commit_ids = {"abc"};
    runs_after = runs().LoadGroups(filter)->front().runs.size();
    return std::vector<Detection>{};
  });
  ASSERT_TRUE(processed.ok()) << processed.status();
  EXPECT_EQ(runs_after, 2u);
  EXPECT_EQ(*regressions().CountDue(), 1);
}

TEST_F(QueueContractTest, ARunThatIsExcludedWhileItsGroupIsJudgedIsJudgedAgain) {
  const model::RunSpec spec = FinishNew("abc");
  const auto processed = regressions().ProcessOneDue([&](const DueGroup&) -> Detections {
    EXPECT_TRUE(runs().Exclude(spec.key.run_id, "noisy", "ann").ok());
    return std::vector<Detection>{};
  });
  ASSERT_TRUE(processed.ok()) << processed.status();
  EXPECT_EQ(*regressions().CountDue(), 1);
  EXPECT_EQ(ProcessAll(Nothing), 1);
}

TEST_F(QueueContractTest, AFailedJudgingIsPutBackAndHoldsUpNobody) {
  FinishNew("bad");
  FinishNew("good");
  const auto judge = [](const DueGroup& group) -> Detections {
    if (group.commit_id == "bad") return absl::DataLossError("a value is damaged");
    return std::vector<Detection>{};
  };
  const auto failed = regressions().ProcessOneDue(judge);
  EXPECT_THAT(failed.status(), HasCode(absl::StatusCode::kDataLoss));
  EXPECT_THAT(std::string(failed.status().message()), HasSubstr("a value is damaged"));
  EXPECT_EQ(*regressions().CountDue(), 2);
  EXPECT_EQ(ProcessAll(judge), 1);  // The good one; the bad one waits.
  EXPECT_EQ(*regressions().CountDue(), 1);
  store().EndWaiting();
  EXPECT_FALSE(regressions().ProcessOneDue(judge).ok());
  // The delay is over once its next run has ended: there is something new to judge.
  FinishNew("bad");
  EXPECT_EQ(ProcessAll(Nothing), 1);
  EXPECT_EQ(*regressions().CountDue(), 0);
}

TEST_F(QueueContractTest, NothingOfAFailedJudgingIsStored) {
  FinishNew("abc");
  const auto processed = regressions().ProcessOneDue([&](const DueGroup& group) -> Detections {
    Detection detection{.axes_id = group.axes_id,
                        .base_commit_id = "base",
                        .head_commit_id = group.commit_id,
                        .regression = model::Regression{}};
    detection.regression->title = std::string("no \xFF UTF-8");
    Detection good = detection;
    good.base_commit_id = "a";
    good.regression->title = "good";
    return std::vector{good, detection};
  });
  EXPECT_THAT(processed.status(), HasCode(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(*regressions().LastEventId(), 0);
  EXPECT_EQ(*regressions().CountDue(), 1);
}

TEST_F(QueueContractTest, EveryGroupIsJudgedAfterItsLastRunWhoeverDoesIt) {
  constexpr int kWriters = 3;
  constexpr int kRounds = 6;
  std::vector<model::RunSpec> specs;
  for (int i = 0; i < kWriters * kRounds; ++i) {
    // A few groups of two sets of axes, met by all writers.
    specs.push_back(
        NewSpec(i % 2 == 0 ? "a" : "b", AxesOf({{"testcase", i % 3 == 0 ? "x" : "y"}})));
  }
  std::mutex mutex;
  std::map<std::pair<std::int64_t, std::string>, std::size_t> seen;  // Runs at the last judging.
  const auto judge = [&](const DueGroup& group) -> Detections {
    GroupFilter filter;
    filter.commit_ids = {group.commit_id};
    filter.axes_id = group.axes_id;
    const auto groups = runs().LoadGroups(filter);
    if (!groups.ok()) return groups.status();
    const std::lock_guard lock(mutex);
    seen[{group.axes_id, group.commit_id}] = groups->front().runs.size();
    return std::vector<Detection>{};
  };
  std::latch written(kWriters);
  std::vector<std::jthread> threads;
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([&, w] {
      const auto connection = Connect();
      for (int r = 0; r < kRounds; ++r) {
        const model::RunSpec& spec = specs[static_cast<std::size_t>(w * kRounds + r)];
        const auto opened = connection->OpenRun(spec, "bot");
        ASSERT_TRUE(opened.ok()) << opened.status();
        const auto ended = connection->EndRun(spec.key.run_id, opened->epoch, EndedAt(At(1)));
        ASSERT_TRUE(ended.ok()) << ended.status();
      }
      written.count_down();
    });
  }
  for (int worker = 0; worker < 2; ++worker) {
    threads.emplace_back([&] {
      bool last_round = false;
      while (!HasFailure()) {
        const bool all_written = written.try_wait();
        const auto processed = regressions().ProcessOneDue(judge);
        ASSERT_TRUE(processed.ok()) << processed.status();
        if (*processed) continue;
        if (last_round && *regressions().CountDue() == 0) return;
        last_round = all_written;
      }
    });
  }
  threads.clear();
  std::map<std::pair<std::int64_t, std::string>, std::size_t> expected;
  for (const model::RunSpec& spec : specs) ++expected[{spec.axes.Id(), spec.commit.commit_id}];
  EXPECT_EQ(seen, expected);
}

}  // namespace
}  // namespace regressd::storage
