#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/storage/store_under_test.h"

namespace regressd::storage {

MATCHER_P(HasCode, code, "") {
  *result_listener << arg.ToString();
  return arg.code() == code;
}

/// An instant `micros` after 2026-11-30T12:00:00Z.
model::Time At(std::int64_t micros);

model::RunOutcome EndedAt(model::Time time, std::int32_t exit_status = 0);
model::Axes AxesOf(std::initializer_list<model::Axis> axes);

/// The test's stores, and short ways to fill them. Helpers fail the test when the store does.
class StoreContractTest : public ::testing::Test {
 protected:
  RunStore& runs() { return store_->runs(); }
  CommitStore& commits() { return store_->commits(); }
  RegressionStore& regressions() { return store_->regressions(); }
  StoreUnderTest& store() { return *store_; }

  /// An own connection, as each committer has.
  std::unique_ptr<IngestStore> Connect();
  /// One for the whole test.
  IngestStore& ingest();

  /// A run of the default axes with a UUID of its own.
  model::RunSpec NewSpec(const std::string& commit_id);
  model::RunSpec NewSpec(const std::string& commit_id, const model::Axes& axes);

  /// Sends each of `values` as one sample of a metric of that name and ends the run.
  void Finish(const model::RunSpec& spec, const std::map<std::string, double>& values = {{"m", 1}},
              const model::RunOutcome& outcome = EndedAt(At(5'000'000)));
  /// Finish of NewSpec. The store's clock goes on.
  model::RunSpec FinishNew(const std::string& commit_id, double value = 1);

  /// Opens the run, declares the source and commits the batches that `encode` makes with the epoch.
  std::int64_t Send(const model::RunSpec& spec, const model::Source& source,
                    const std::function<std::vector<EncodedBatch>(std::int64_t epoch)>& encode);

  /// Everything that ReadSamples gives, parts of one metric and source joined.
  std::vector<SamplePart> ReadAll(std::int64_t run_id, const std::vector<std::string>& metrics,
                                  const TimeRange& range = {});

  void AddCommit(const std::string& commit_id, const std::vector<std::string>& parent_ids);
  /// Pairs as "base..head".
  std::vector<std::string> Pairs(const std::string& commit_id);
  /// Judges due groups with `judge` until none is due. Their number.
  int ProcessAll(
      const std::function<absl::StatusOr<std::vector<Detection>>(const DueGroup&)>& judge);
  /// Judges everything that is due as the worker does, and finds nothing.
  void JudgeAll();

  const model::Axes axes_{{{"testcase", "vm-scalability"}, {"tbox_group", "lkp-hsw-ep2"}}};

 private:
  std::unique_ptr<StoreUnderTest> store_ = MakeStoreUnderTest();
  std::unique_ptr<IngestStore> ingest_;
  int run_count_ = 0;
};

/// A metric of doubles.
model::Metric Gauge(const std::string& name);
model::Source DoubleSource(std::int32_t source_id, const std::vector<std::string>& metric_names);
model::Commit CommitOf(const std::string& commit_id);

}  // namespace regressd::storage
