#include "services/detect/detector.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "services/model/catalog.h"
#include "tests/support/ingest_builders.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_store.h"
#include "tests/support/nouns_of.h"

namespace regressd::detect {
namespace {

using model::RegressionState;
using std::chrono::milliseconds;

// A store in memory that runs can be put into, and that tells what its workers got.
class TestStore : public test::MemoryStore {
 public:
  explicit TestStore(test::ManualClock& clock) : MemoryStore(clock), clock_(clock) {}

  /// Ends one complete run that measured `values` by name.
  model::RunKey AddRun(const std::string& commit_id, const std::string& test,
                       const std::vector<std::pair<std::string, double>>& values) {
    clock_.Advance(std::chrono::seconds{1});
    model::RunSpec spec = test::RunSpecOf(++run_count_);
    spec.commit.commit_id = commit_id;
    spec.axes.Set("test", test);
    auto ingest = Connect();
    EXPECT_TRUE(ingest.ok());
    const auto opened = (*ingest)->OpenRun(spec, "tester");
    EXPECT_TRUE(opened.ok()) << opened.status();
    model::Source source;
    source.source_id = 1;
    source.name = "results";
    source.content = model::SourceContent::kDoubleSamples;
    storage::SampleBatch batch;
    batch.first_seq = 1;
    batch.times = {test::At(1)};
    for (const auto& [name, value] : values) {
      source.metrics.push_back(model::Declare(name));
      source.metrics.back().reduction = model::Reduction::kMean;
      batch.doubles.push_back(value);
    }
    batch.metric_count = static_cast<std::int32_t>(values.size());
    const std::int64_t run_id = spec.key.run_id;
    EXPECT_TRUE((*ingest)->DeclareSource(run_id, opened->epoch, source).ok());
    const std::vector<storage::EncodedBatch> batches{
        storage::EncodeSamples(run_id, 1, opened->epoch, batch)};
    EXPECT_TRUE((*ingest)->CommitBatches(batches).ok());
    EXPECT_TRUE((*ingest)->EndRun(run_id, opened->epoch, test::OutcomeOf(0)).ok());
    return spec.key;
  }

  void AddRuns(const std::string& commit_id, const std::string& test,
               const std::vector<double>& throughputs) {
    for (const double value : throughputs) {
      AddRun(commit_id, test, {{"vm-scalability.throughput", value}, {"vmstat.system.cs", 1000}});
    }
  }

  absl::StatusOr<bool> ProcessOneDue(
      const std::function<absl::StatusOr<std::vector<storage::Detection>>(
          const storage::DueGroup&)>& judge) override {
    auto outcome = MemoryStore::ProcessOneDue(judge);
    const std::lock_guard lock(mutex_);
    if (!outcome.ok()) {
      ++failed_count_;
    } else if (!*outcome) {
      ++idle_count_;
    }
    changed_.notify_all();
    return outcome;
  }

  /// Blocks until the store was asked in vain, or failed, that often.
  void WaitForIdle(int enough) { WaitFor(idle_count_, enough); }
  void WaitForFailures(int enough) { WaitFor(failed_count_, enough); }

  std::vector<model::Regression> All() {
    return test::NounsOf(ListRegressions({}, std::nullopt, 100));
  }

 private:
  void WaitFor(const int& count, int enough) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return count >= enough; });
  }

  test::ManualClock& clock_;
  int run_count_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  int idle_count_ = 0;
  int failed_count_ = 0;
};

class DetectorTest : public testing::Test {
 protected:
  void JudgeAll() {
    for (;;) {
      const auto judged = detector_.Step();
      ASSERT_TRUE(judged.ok()) << judged.status();
      if (!*judged) return;
    }
  }

  test::ManualClock clock_;
  TestStore store_{clock_};
  Detector detector_{store_, store_, {}};
};

TEST_F(DetectorTest, OpensARegressionWithItsNumbers) {
  store_.AddRuns("good", "swap-w-seq", {100, 101, 99, 100.5, 99.5});
  store_.AddRuns("bad", "swap-w-seq", {90, 91, 89, 90.5, 89.5});
  JudgeAll();
  const auto regressions = store_.All();
  ASSERT_EQ(regressions.size(), 1U);
  EXPECT_EQ(regressions[0].title, "-10.0% regression of vm-scalability.throughput");
  EXPECT_EQ(regressions[0].base.commit_id, "good");
  EXPECT_EQ(regressions[0].head.commit_id, "bad");
  EXPECT_EQ(regressions[0].headline_metric, "vm-scalability.throughput");
  EXPECT_EQ(regressions[0].facts.testbox, "lkp-hsw-ep2-1");
  EXPECT_EQ(regressions[0].axes.Find("test"), "swap-w-seq");
  const auto& judgement = regressions[0].metrics.at(0).judgement;
  EXPECT_EQ(judgement.base.run_count, 5);
  EXPECT_EQ(judgement.rule, "welch-1");
  EXPECT_EQ(*store_.CountDue(), 0);
}

TEST_F(DetectorTest, OpensNothingForEqualOrBetterKernels) {
  store_.AddRuns("good", "same", {100, 101, 99, 100.5, 99.5});
  store_.AddRuns("next", "same", {100.2, 101.1, 99.1, 100.3, 99.6});
  store_.AddRuns("good", "better", {100, 101, 99, 100.5, 99.5});
  store_.AddRuns("next", "better", {110, 111, 109, 110.5, 109.5});
  JudgeAll();
  EXPECT_TRUE(store_.All().empty());
  EXPECT_EQ(*store_.CountDue(), 0);
}

TEST_F(DetectorTest, NeverComparesRunsOfDifferentAxes) {
  store_.AddRuns("good", "swap-w-seq", {100, 101, 99, 100.5, 99.5});
  store_.AddRuns("bad", "swap-w-rand", {10, 11, 9, 10.5, 9.5});
  JudgeAll();
  EXPECT_TRUE(store_.All().empty());
}

TEST_F(DetectorTest, WaitsForEnoughRuns) {
  store_.AddRuns("good", "swap-w-seq", {100, 101, 99, 100.5, 99.5});
  store_.AddRuns("bad", "swap-w-seq", {90, 91});
  JudgeAll();
  EXPECT_TRUE(store_.All().empty());
  store_.AddRuns("bad", "swap-w-seq", {89});
  JudgeAll();
  EXPECT_EQ(store_.All().size(), 1U);
}

TEST_F(DetectorTest, RetractsWhatMoreRunsDoNotConfirm) {
  store_.AddRuns("good", "swap-w-seq", {100, 101, 99});
  store_.AddRuns("bad", "swap-w-seq", {90, 91, 89});
  JudgeAll();
  ASSERT_EQ(store_.All().size(), 1U);
  store_.AddRuns("bad", "swap-w-seq", {101, 100, 99, 101.5, 100.2, 100.4, 99.7});
  JudgeAll();
  ASSERT_EQ(store_.All().size(), 1U);
  EXPECT_EQ(store_.All()[0].state, RegressionState::kRetracted);
}

TEST_F(DetectorTest, RetractsWhatStoodOnRunsThatAreExcluded) {
  store_.AddRuns("good", "swap-w-seq", {100, 101, 99});
  std::vector<model::RunKey> bad;
  for (const double value : {90.0, 91.0, 89.0}) {
    bad.push_back(store_.AddRun("bad", "swap-w-seq", {{"vm-scalability.throughput", value}}));
  }
  JudgeAll();
  ASSERT_EQ(store_.All().size(), 1U);
  ASSERT_TRUE(store_.Exclude(bad[0].run_id, "the machine throttled", "tester").ok());
  JudgeAll();
  EXPECT_EQ(store_.All()[0].state, RegressionState::kRetracted);
}

TEST_F(DetectorTest, ReportsTheStoresErrorAndJudgesLater) {
  store_.AddRuns("good", "swap-w-seq", {100, 101, 99});
  store_.AddRuns("bad", "swap-w-seq", {90, 91, 89});
  store_.FailWith(absl::UnavailableError("database away"));
  EXPECT_TRUE(absl::IsUnavailable(detector_.Step().status()));
  store_.FailWith(absl::OkStatus());
  JudgeAll();
  EXPECT_EQ(store_.All().size(), 1U);
}

// Refuses to load the groups of some axes.
class BrokenRuns : public test::MemoryStore {
 public:
  BrokenRuns(const common::Clock& clock, storage::RunStore& whole, std::int64_t broken_axes_id)
      : MemoryStore(clock), whole_(whole), broken_axes_id_(broken_axes_id) {}

  absl::StatusOr<std::vector<model::RunGroup>> LoadGroups(
      const storage::GroupFilter& filter) override {
    if (filter.axes_id == broken_axes_id_) return absl::InternalError("a broken row");
    return whole_.LoadGroups(filter);
  }

 private:
  storage::RunStore& whole_;
  std::int64_t broken_axes_id_;
};

TEST_F(DetectorTest, OneBrokenGroupDoesNotStopTheOthers) {
  for (const char* test : {"broken", "whole"}) {
    store_.AddRuns("good", test, {100, 101, 99});
    store_.AddRuns("bad", test, {90, 91, 89});
  }
  model::Axes broken = test::RunSpecOf(1).axes;
  broken.Set("test", "broken");
  BrokenRuns runs(clock_, store_, broken.Id());
  Detector detector(runs, store_, {});
  std::jthread worker([&](std::stop_token stop) { detector.Run(stop, milliseconds{1}); });
  store_.WaitForIdle(1);  // All that can be judged now is; the broken group waits for its retry.
  worker.request_stop();
  worker.join();
  const auto regressions = store_.All();
  ASSERT_EQ(regressions.size(), 1U);
  EXPECT_EQ(regressions[0].axes.Find("test"), "whole");
  EXPECT_GE(*store_.CountDue(), 1);
}

TEST_F(DetectorTest, RunOutlivesAStoreThatIsAway) {
  store_.AddRuns("good", "swap-w-seq", {100, 101, 99});
  store_.AddRuns("bad", "swap-w-seq", {90, 91, 89});
  store_.FailWith(absl::UnavailableError("database away"));
  std::jthread worker([&](std::stop_token stop) { detector_.Run(stop, milliseconds{1}); });
  store_.WaitForFailures(2);
  store_.FailWith(absl::OkStatus());
  store_.WaitForIdle(1);
  worker.request_stop();
  worker.join();
  EXPECT_EQ(store_.All().size(), 1U);
}

TEST_F(DetectorTest, StopsAtOnceWhileItWaits) {
  std::jthread worker([&](std::stop_token stop) { detector_.Run(stop, std::chrono::hours{1}); });
  store_.WaitForIdle(1);
  worker.request_stop();
  worker.join();  // Hangs for an hour if the wait does not hear of it.
}

TEST_F(DetectorTest, TwoDetectorsShareTheWorkAndJudgeEachGroupAlike) {
  for (int group = 0; group < 12; ++group) {
    const std::string test = "test-" + std::to_string(group);
    store_.AddRuns("good", test, {100, 101, 99});
    store_.AddRuns("bad", test, {90, 91, 89});
  }
  Detector other(store_, store_, {});
  {
    std::jthread first([&](std::stop_token stop) { detector_.Run(stop, milliseconds{1}); });
    std::jthread second([&](std::stop_token stop) { other.Run(stop, milliseconds{1}); });
    // Runs arrive while both work.
    for (int group = 0; group < 12; ++group) {
      store_.AddRuns("good", "late-" + std::to_string(group), {100, 101, 99});
      store_.AddRuns("bad", "late-" + std::to_string(group), {90, 91, 89});
    }
    store_.WaitForIdle(1);
  }
  JudgeAll();
  const auto regressions = store_.All();
  EXPECT_EQ(regressions.size(), 24U);
  for (const auto& regression : regressions) {
    EXPECT_EQ(regression.title, "-10.0% regression of vm-scalability.throughput");
    EXPECT_EQ(regression.state, regressions.front().state);
  }
}

TEST(CalmDownTest, DoublesUpToHalfAMinute) {
  EXPECT_EQ(CalmDown(1), milliseconds{100});
  EXPECT_EQ(CalmDown(2), milliseconds{200});
  EXPECT_EQ(CalmDown(5), milliseconds{1600});
  EXPECT_EQ(CalmDown(20), milliseconds{30000});
  EXPECT_EQ(CalmDown(1'000'000), milliseconds{30000});
}

}  // namespace
}  // namespace regressd::detect
