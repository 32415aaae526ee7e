#include "tests/dashboard/dashboard_fixture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "storage/ingest_store.h"
#include "tests/http/raw_client.h"

namespace regressd::test {

absl::StatusOr<auth::Caller> SwitchAuthorizer::Authorize(std::string_view method,
                                                         const auth::Credentials&) const {
  if (!open_) return absl::PermissionDeniedError(fmt::format("{} needs the right read", method));
  return auth::Caller{.name = "test"};
}

std::string UuidOf(int number) { return fmt::format("0a1b2c3d-0000-4000-8000-{:012x}", number); }

model::Metric MetricNamed(std::string name, model::Better better, std::string unit) {
  model::Metric metric;
  metric.name = std::move(name);
  metric.better = better;
  metric.unit = std::move(unit);
  return metric;
}

DashboardTest::DashboardTest() {
  pages_.AddTo(server_);
  const absl::Status started = server_.Start("127.0.0.1:0");
  EXPECT_TRUE(started.ok()) << started;
}

Answer DashboardTest::Get(const std::string& target, const std::string& accept) {
  const std::string raw =
      http::Fetch(server_.port(), "GET", target, fmt::format("Accept: {}\r\n", accept));
  Answer answer;
  const std::size_t end = raw.find("\r\n\r\n");
  if (end == std::string::npos) return answer;
  answer.status = std::atoi(raw.c_str() + raw.find(' '));
  answer.headers = raw.substr(0, end);
  answer.body = raw.substr(end + 4);
  return answer;
}

void DashboardTest::AddRun(const RunDraft& draft) {
  model::RunSpec spec;
  spec.key = *model::ParseRunUuid(UuidOf(draft.number));
  spec.axes = draft.axes;
  spec.commit = draft.commit;
  spec.facts.testbox = "lkp-hsw-ep2-1";
  spec.start_time = clock_.Now();
  draft.edit(spec);
  const auto ingest = store_.Connect();
  ASSERT_TRUE(ingest.ok()) << ingest.status();
  const auto opened = (*ingest)->OpenRun(spec, "bot");
  ASSERT_TRUE(opened.ok()) << opened.status();
  model::Source source;
  source.source_id = 1;
  source.name = "result";
  source.content = model::SourceContent::kDoubleSamples;
  storage::SampleBatch batch;
  batch.first_seq = 1;
  batch.times = {clock_.Now()};
  for (const auto& [metric, value] : draft.values) {
    source.metrics.push_back(metric);
    batch.doubles.push_back(value);
  }
  batch.metric_count = static_cast<std::int32_t>(source.metrics.size());
  if (!source.metrics.empty()) {
    const auto declared = (*ingest)->DeclareSource(spec.key.run_id, opened->epoch, source);
    ASSERT_TRUE(declared.ok()) << declared.status();
    const storage::EncodedBatch encoded =
        storage::EncodeSamples(spec.key.run_id, 1, opened->epoch, batch);
    const absl::Status committed = (*ingest)->CommitBatches({&encoded, 1});
    ASSERT_TRUE(committed.ok()) << committed;
  }
  model::RunOutcome outcome = draft.outcome;
  outcome.end_time = spec.start_time + std::chrono::milliseconds(92340);
  const auto ended = (*ingest)->EndRun(spec.key.run_id, opened->epoch, outcome);
  ASSERT_TRUE(ended.ok()) << ended.status();
  clock_.Advance(std::chrono::seconds(1));
}

void DashboardTest::AddSlowHead() {
  int number = 1;
  for (const auto& [commit_id, level] : {std::pair{"base", 1000.0}, std::pair{"head", 900.0}}) {
    for (const double noise : {-2.0, 0.0, 2.0}) {
      RunDraft draft;
      draft.number = number++;
      draft.commit.commit_id = commit_id;
      draft.values = {{MetricNamed("vm-scalability.throughput", model::Better::kHigher, "KiB/s"),
                       level + noise},
                      {MetricNamed("vmstat.swap.si"), 5 + noise}};
      AddRun(draft);
    }
  }
}

std::int64_t DashboardTest::AddRegression(const std::string& base, const std::string& head,
                                          const std::string& title) {
  const auto blocks =
      comparer_.Compare({.columns = {{base, {}}, {head, {}}}, .axes = {}, .metric_regex = ""});
  EXPECT_TRUE(blocks.ok()) << blocks.status();
  if (!blocks.ok()) return 0;
  model::Regression regression;
  regression.title = title;
  for (const model::Row& row : blocks->front().rows) {
    const auto& judgement = row.cells[1].judgement;
    if (!judgement || judgement->verdict == model::Verdict::kUnchanged ||
        judgement->verdict == model::Verdict::kInconclusive) {
      continue;
    }
    regression.metrics.push_back({row.metric, *judgement});
  }
  // The headline first, as the worker has it.
  std::stable_partition(regression.metrics.begin(), regression.metrics.end(),
                        [](const model::RegressionMetric& metric) {
                          return metric.metric.name == "vm-scalability.throughput";
                        });
  if (!regression.metrics.empty()) {
    regression.headline_metric = regression.metrics.front().metric.name;
  }
  const auto judged = store_.ProcessOneDue([&](const storage::DueGroup&) {
    return std::vector<storage::Detection>{{.axes_id = blocks->front().axes.Id(),
                                            .base_commit_id = base,
                                            .head_commit_id = head,
                                            .regression = regression}};
  });
  EXPECT_TRUE(judged.ok() && *judged) << judged.status();
  const auto listed = store_.ListRegressions({}, {}, 1);
  EXPECT_TRUE(listed.ok() && !listed->empty());
  return listed->front().position.regression_id;
}

}  // namespace regressd::test
