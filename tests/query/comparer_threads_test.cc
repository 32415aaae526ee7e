#include <fmt/format.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "services/query/comparer.h"
#include "storage/ingest_store.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_store.h"

namespace regressd::query {
namespace {

// One complete run of usemem.throughput = `value`.
void AddRun(test::MemoryStore& store, int number, const std::string& commit_id, double value) {
  model::RunSpec spec;
  spec.key = *model::ParseRunUuid(fmt::format("0a1b2c3d-0000-4000-8000-{:012x}", number));
  spec.axes.Set("testcase", "usemem");
  spec.commit.commit_id = commit_id;
  model::Source source;
  source.source_id = 1;
  source.name = "result";
  source.content = model::SourceContent::kDoubleSamples;
  source.metrics = {{.name = "usemem.throughput", .unit = "KiB/s"}};
  storage::SampleBatch batch;
  batch.first_seq = 1;
  batch.times = {test::ManualClock::kStart};
  batch.metric_count = 1;
  batch.doubles = {value};
  const auto ingest = *store.Connect();
  const std::int64_t epoch = ingest->OpenRun(spec, "test")->epoch;
  ASSERT_TRUE(ingest->DeclareSource(spec.key.run_id, epoch, source).ok());
  const storage::EncodedBatch encoded = storage::EncodeSamples(spec.key.run_id, 1, epoch, batch);
  ASSERT_TRUE(ingest->CommitBatches({&encoded, 1}).ok());
  ASSERT_TRUE(ingest->EndRun(spec.key.run_id, epoch, {}).ok());
}

TEST(ComparerThreadsTest, ComparisonsFromManyThreadsSeeWholeRunsWhileSomeAreAdded) {
  const test::ManualClock clock;
  test::MemoryStore store(clock);
  for (int i = 0; i < 3; ++i) {
    AddRun(store, 1 + i, "base", 100);
    AddRun(store, 11 + i, "head", 50);
  }
  const Comparer comparer(store, store);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        const auto blocks = comparer.Compare(
            {.columns = {{.commit = "base", .axes = {}}, {.commit = "head", .axes = {}}},
             .axes = {},
             .metric_regex = "through"});
        ASSERT_TRUE(blocks.ok()) << blocks.status();
        const model::Row& row = blocks->at(0).rows.at(0);
        EXPECT_GE(row.cells[1].values.size(), 3u);
        EXPECT_EQ(row.cells[1].judgement->relative_change, -0.5);  // (50 - 100) / 100
      }
    });
  }
  for (int i = 0; i < 20; ++i) AddRun(store, 101 + i, "head", 50);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace regressd::query
