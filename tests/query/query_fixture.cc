#include "tests/query/query_fixture.h"

#include <fmt/format.h>

#include <vector>

#include "services/common/error_details.h"
#include "services/common/grpc_status.h"
#include "storage/ingest_store.h"

namespace regressd::test {
namespace {

std::unique_ptr<grpc::Server> Serve(const std::vector<grpc::Service*>& services) {
  grpc::ServerBuilder builder;
  for (grpc::Service* service : services) builder.RegisterService(service);
  return builder.BuildAndStart();
}

model::Source SourceOf(const std::map<std::string, double>& values) {
  model::Source source;
  source.source_id = 1;
  source.name = "result";
  source.content = model::SourceContent::kDoubleSamples;
  for (const auto& [name, value] : values) {
    model::Metric& metric = source.metrics.emplace_back();
    metric.name = name;
    if (name == "vm-scalability.throughput") metric.better = model::Better::kHigher;
  }
  return source;
}

storage::SampleBatch OneRow(model::Time time, const std::map<std::string, double>& values) {
  storage::SampleBatch batch;
  batch.first_seq = 1;
  batch.times = {time};
  batch.metric_count = static_cast<std::int32_t>(values.size());
  for (const auto& [name, value] : values) batch.doubles.push_back(value);
  return batch;
}

}  // namespace

std::string UuidOf(int number) { return fmt::format("0a1b2c3d-0000-4000-8000-{:012x}", number); }

QueryTest::QueryTest()
    : services_({.runs = store_,
                 .commits = store_,
                 .regressions = store_,
                 .comparer = comparer_,
                 .feed = feed_,
                 .authorizer = authorizer_,
                 .mail = {}}),
      server_(Serve(services_.list())),
      channel_(server_->InProcessChannel({})),
      runs_(v1::RunService::NewStub(channel_)),
      commits_(v1::CommitService::NewStub(channel_)),
      compare_(v1::CompareService::NewStub(channel_)),
      regressions_(v1::RegressionService::NewStub(channel_)),
      reports_(v1::ReportService::NewStub(channel_)) {}

QueryTest::~QueryTest() {
  feed_.Stop();
  server_->Shutdown();
}

void QueryTest::AddRun(const RunDraft& draft) {
  model::RunSpec spec;
  spec.key = *model::ParseRunUuid(UuidOf(draft.number));
  spec.axes = draft.axes;
  spec.commit.commit_id = draft.commit_id;
  spec.facts.testbox = "lkp-hsw-ep2-1";
  if (!draft.loadavg.empty()) {
    spec.facts.cpu_count = 8;
    spec.facts.settings["loadavg_at_start"] = draft.loadavg;
  }
  spec.start_time = clock_.Now();
  spec.command = draft.command;
  spec.job_toml = draft.job_toml;
  const auto ingest = store_.Connect();
  ASSERT_TRUE(ingest.ok()) << ingest.status();
  const auto opened = (*ingest)->OpenRun(spec, "test");
  ASSERT_TRUE(opened.ok()) << opened.status();
  const auto declared =
      (*ingest)->DeclareSource(spec.key.run_id, opened->epoch, SourceOf(draft.values));
  ASSERT_TRUE(declared.ok()) << declared.status();
  const storage::EncodedBatch batch =
      storage::EncodeSamples(spec.key.run_id, 1, opened->epoch, OneRow(clock_.Now(), draft.values));
  const auto committed = (*ingest)->CommitBatches({&batch, 1});
  ASSERT_TRUE(committed.ok()) << committed;
  model::RunOutcome outcome;
  outcome.end_time = clock_.Now();
  outcome.exit_status = draft.fails ? 1 : 0;
  const auto ended = (*ingest)->EndRun(spec.key.run_id, opened->epoch, outcome);
  ASSERT_TRUE(ended.ok()) << ended.status();
  clock_.Advance(std::chrono::seconds(1));
}

void QueryTest::AddGroup(const std::string& commit_id, int first_number,
                         std::initializer_list<double> throughputs, const model::Axes& axes) {
  for (const double throughput : throughputs) {
    AddRun({.number = first_number++,
            .commit_id = commit_id,
            .axes = axes,
            .values = {{"vm-scalability.throughput", throughput}}});
  }
}

std::int64_t QueryTest::AddRegression(const std::string& base, const std::string& head,
                                      const model::Axes& axes) {
  model::Regression regression;
  regression.title = fmt::format("-10.0% regression of vm-scalability.throughput at {}", head);
  regression.headline_metric = "vm-scalability.throughput";
  model::RegressionMetric& metric = regression.metrics.emplace_back();
  metric.metric.name = regression.headline_metric;
  metric.judgement.verdict = model::Verdict::kRegression;
  metric.judgement.base = {3, 100, 1};
  metric.judgement.head = {3, 90, 1};
  metric.judgement.absolute_change = -10;
  metric.judgement.relative_change = -0.1;
  const auto judged = store_.ProcessOneDue([&](const storage::DueGroup&) {
    return std::vector<storage::Detection>{{.axes_id = axes.Id(),
                                            .base_commit_id = base,
                                            .head_commit_id = head,
                                            .regression = regression}};
  });
  EXPECT_TRUE(judged.ok() && *judged) << judged.status();
  const auto listed = store_.ListRegressions({}, {}, 1000);
  EXPECT_TRUE(listed.ok() && !listed->empty());
  return listed->front().position.regression_id;
}

std::string BadFields(const grpc::Status& status) {
  std::string fields;
  for (const auto& violation : common::FieldViolationsOf(common::FromGrpc(status))) {
    if (!fields.empty()) fields += ' ';
    fields += violation.field;
  }
  return fields;
}

}  // namespace regressd::test
