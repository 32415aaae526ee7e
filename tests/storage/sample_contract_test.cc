// What was sent is read back, value for value and time for time.

#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/storage/contract_fixture.h"
#include "tests/support/nouns_of.h"

namespace regressd::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

using SampleContractTest = StoreContractTest;

model::Source ProcSource() {
  model::Source source;
  source.source_id = 3;
  source.name = "proc";
  source.metrics = {Gauge("proc-vmstat.nr_free_pages"), Gauge("proc-vmstat.pswpout"),
                    Gauge("perf-stat.task-clock")};
  source.metrics[0].unit = "pages";
  source.metrics[1].kind = model::MetricKind::kCounter;
  source.metrics[1].better = model::Better::kLower;
  source.metrics[1].reduction = model::Reduction::kDelta;
  source.metrics[2].unit = "ms";
  source.metrics[2].scale = 0.01;
  source.period_us = 1'000'000;
  return source;
}

TEST_F(SampleContractTest, GivesIntegersBackExactly) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const model::RunSpec spec = NewSpec("abc");
  Send(spec, ProcSource(), [&](std::int64_t epoch) -> std::vector<EncodedBatch> {
    // -1 is the bit pattern of 2^64-1, kMin that of 2^63.
    return {EncodeSamples(spec.key.run_id, 3, epoch,
                          {.first_seq = 1,
                           .times = {At(0), At(1'000'001)},
                           .metric_count = 3,
                           .ints = {kMin, -1, 12345, kMax, kMin, 0},
                           .doubles = {},
                           .missing = {}})};
  });
  const auto parts = ReadAll(spec.key.run_id, {"proc-vmstat.pswpout", "proc-vmstat.nr_free_pages",
                                               "perf-stat.task-clock"});
  ASSERT_THAT(parts, SizeIs(3));
  // Python 3.11: 12345 * 0.01, float(2**64 - 1), float(2**63).
  EXPECT_EQ(parts[0].metric, ProcSource().metrics[2]);
  EXPECT_EQ(parts[0].samples[0].value, 123.45);
  EXPECT_EQ(parts[0].samples[0].stored_int, 12345);
  EXPECT_EQ(parts[1].samples[0].value, -9223372036854775808.0);
  EXPECT_EQ(parts[1].samples[1].stored_int, kMax);
  EXPECT_EQ(parts[2].metric, ProcSource().metrics[1]);
  EXPECT_EQ(parts[2].source_id, 3);
  EXPECT_EQ(parts[2].samples[0].value, 18446744073709551616.0);
  EXPECT_EQ(parts[2].samples[0].stored_int, -1);
  EXPECT_EQ(parts[2].samples[1].value, 9223372036854775808.0);
  EXPECT_EQ(parts[2].samples[1].time, At(1'000'001));
  EXPECT_EQ(parts[2].samples[1].seq, 2);
}

TEST_F(SampleContractTest, GivesDoublesBackBitForBit) {
  const std::vector<double> values{-0.0, 5e-324, 1.7976931348623157e308, 0.1, -1.0 / 3};
  const model::RunSpec spec = NewSpec("abc");
  Send(spec, DoubleSource(1, {"m"}), [&](std::int64_t epoch) -> std::vector<EncodedBatch> {
    return {EncodeSamples(spec.key.run_id, 1, epoch,
                          {.first_seq = 1,
                           .times = {At(0), At(1), At(2), At(3), At(4)},
                           .metric_count = 1,
                           .ints = {},
                           .doubles = values,
                           .missing = {}})};
  });
  const auto parts = ReadAll(spec.key.run_id, {"m"});
  ASSERT_THAT(parts, SizeIs(1));
  ASSERT_THAT(parts[0].samples, SizeIs(5));
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(parts[0].samples[i].value, values[i]);
    EXPECT_EQ(parts[0].samples[i].stored_int, std::nullopt);
  }
  EXPECT_TRUE(std::signbit(*parts[0].samples[0].value));
}

TEST_F(SampleContractTest, AMissingValueIsNotZero) {
  const model::RunSpec spec = NewSpec("abc");
  Send(spec, DoubleSource(1, {"a", "b"}), [&](std::int64_t epoch) -> std::vector<EncodedBatch> {
    return {EncodeSamples(spec.key.run_id, 1, epoch,
                          {.first_seq = 1,
                           .times = {At(0), At(1)},
                           .metric_count = 2,
                           .ints = {},
                           .doubles = {0, 0, 7, 0},
                           .missing = {true, false, false, true}})};
  });
  const auto parts = ReadAll(spec.key.run_id, {"a", "b"});
  ASSERT_THAT(parts, SizeIs(2));
  EXPECT_EQ(parts[0].samples[0].value, std::nullopt);
  EXPECT_EQ(parts[0].samples[1].value, 7);
  EXPECT_EQ(parts[1].samples[0].value, 0);
  EXPECT_EQ(parts[1].samples[1].value, std::nullopt);
}

TEST_F(SampleContractTest, AMetricThatCameLaterIsMissingBefore) {
  const model::RunSpec spec = NewSpec("abc");
  const auto row = [&](std::int64_t epoch, std::int64_t seq, std::vector<double> values) {
    return EncodeSamples(spec.key.run_id, 1, epoch,
                         {.first_seq = seq,
                          .times = {At(seq)},
                          .metric_count = static_cast<std::int32_t>(values.size()),
                          .ints = {},
                          .doubles = values,
                          .missing = {}});
  };
  const std::int64_t epoch =
      Send(spec, DoubleSource(1, {"a"}),
           [&](std::int64_t e) -> std::vector<EncodedBatch> { return {row(e, 1, {10})}; });
  const auto last = ingest().DeclareSource(spec.key.run_id, epoch, DoubleSource(1, {"a", "b"}));
  ASSERT_TRUE(last.ok()) << last.status();
  EXPECT_EQ(*last, 1);
  ASSERT_TRUE(ingest().CommitBatches(std::vector{row(epoch, 2, {11, 21})}).ok());
  const auto parts = ReadAll(spec.key.run_id, {"b"});
  ASSERT_THAT(parts, SizeIs(1));
  ASSERT_THAT(parts[0].samples, SizeIs(2));
  EXPECT_EQ(parts[0].samples[0].value, std::nullopt);
  EXPECT_EQ(parts[0].samples[1].value, 21);
}

TEST_F(SampleContractTest, KeepsTimesToTheMicrosecondAlsoBefore1970) {
  const model::Time before{std::chrono::microseconds{-1}};
  const model::Time after = At(999'999);
  const model::RunSpec spec = NewSpec("abc");
  Send(spec, DoubleSource(1, {"m"}), [&](std::int64_t epoch) -> std::vector<EncodedBatch> {
    return {EncodeSamples(spec.key.run_id, 1, epoch,
                          {.first_seq = 1,
                           .times = {before, after},
                           .metric_count = 1,
                           .ints = {},
                           .doubles = {1, 2},
                           .missing = {}})};
  });
  const auto parts = ReadAll(spec.key.run_id, {"m"});
  ASSERT_THAT(parts, SizeIs(1));
  EXPECT_EQ(parts[0].samples[0].time, before);
  EXPECT_EQ(parts[0].samples[1].time, after);
}

TEST_F(SampleContractTest, ATimeRangeIsHalfOpen) {
  const model::RunSpec spec = NewSpec("abc");
  Send(spec, DoubleSource(1, {"m"}), [&](std::int64_t epoch) -> std::vector<EncodedBatch> {
    return {EncodeSamples(spec.key.run_id, 1, epoch,
                          {.first_seq = 1,
                           .times = {At(0), At(1), At(2), At(3)},
                           .metric_count = 1,
                           .ints = {},
                           .doubles = {0, 1, 2, 3},
                           .missing = {}})};
  });
  const auto parts = ReadAll(spec.key.run_id, {"m"}, {.begin = At(1), .end = At(3)});
  ASSERT_THAT(parts, SizeIs(1));
  ASSERT_THAT(parts[0].samples, SizeIs(2));
  EXPECT_EQ(parts[0].samples[0].value, 1);
  EXPECT_EQ(parts[0].samples[1].value, 2);
  EXPECT_THAT(ReadAll(spec.key.run_id, {"m"}, {.begin = At(4), .end = std::nullopt}), IsEmpty());
}

TEST_F(SampleContractTest, ALongSeriesComesWholeInOrderAndInParts) {
  constexpr std::int64_t kCount = 4100;  // More than two parts of some thousand.
  const model::RunSpec spec = NewSpec("abc");
  Send(spec, DoubleSource(1, {"m"}), [&](std::int64_t epoch) -> std::vector<EncodedBatch> {
    SampleBatch batch{
        .first_seq = 1, .times = {}, .metric_count = 1, .ints = {}, .doubles = {}, .missing = {}};
    for (std::int64_t i = 0; i < kCount; ++i) {
      batch.times.push_back(At(i));
      batch.doubles.push_back(static_cast<double>(i));
    }
    return {EncodeSamples(spec.key.run_id, 1, epoch, batch)};
  });
  const auto parts = ReadAll(spec.key.run_id, {"m"});
  ASSERT_THAT(parts, SizeIs(1));
  ASSERT_THAT(parts[0].samples, SizeIs(kCount));
  for (std::int64_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(parts[0].samples[static_cast<std::size_t>(i)].seq, i + 1);
    ASSERT_EQ(parts[0].samples[static_cast<std::size_t>(i)].value, static_cast<double>(i));
  }
}

TEST_F(SampleContractTest, StopsReadingWithTheErrorOfTheReader) {
  const model::RunSpec spec = NewSpec("abc");
  Finish(spec, {{"a", 1}, {"b", 2}});
  int parts = 0;
  const std::vector<std::string> names{"a", "b"};
  const absl::Status status = runs().ReadSamples(spec.key.run_id, names, {}, [&](SamplePart) {
    ++parts;
    return absl::CancelledError("gone");
  });
  EXPECT_THAT(status, HasCode(absl::StatusCode::kCancelled));
  EXPECT_EQ(parts, 1);
}

TEST_F(SampleContractTest, AnUnknownMetricIsNotFoundAndNamesNearOnes) {
  const model::RunSpec spec = NewSpec("abc");
  Finish(spec, {{"vmstat.swap.so", 1}, {"vmstat.swap.si", 1}, {"meminfo.MemFree", 1}});
  const std::vector<std::string> names{"vmstat.swap.soo"};
  const auto take = [](SamplePart) { return absl::OkStatus(); };
  const absl::Status status = runs().ReadSamples(spec.key.run_id, names, {}, take);
  EXPECT_THAT(status, HasCode(absl::StatusCode::kNotFound));
  EXPECT_THAT(std::string(status.message()), HasSubstr("vmstat.swap.so"));
  // People know a run by its UUID alone.
  EXPECT_THAT(std::string(status.message()), HasSubstr("run " + spec.key.uuid));
  EXPECT_THAT(std::string(status.message()), ::testing::Not(HasSubstr("MemFree")));
  EXPECT_THAT(runs().ReadSamples(4711, names, {}, take), HasCode(absl::StatusCode::kNotFound));
}

TEST_F(SampleContractTest, AGapMovesTheCursorAndIsCounted) {
  const model::RunSpec spec = NewSpec("abc");
  Send(spec, DoubleSource(1, {"m"}), [&](std::int64_t epoch) -> std::vector<EncodedBatch> {
    const auto row = [&](std::int64_t seq) {
      return EncodeSamples(spec.key.run_id, 1, epoch,
                           {.first_seq = seq,
                            .times = {At(seq)},
                            .metric_count = 1,
                            .ints = {},
                            .doubles = {static_cast<double>(seq)},
                            .missing = {}});
    };
    return {row(1), EncodeGap(spec.key.run_id, 1, epoch, 2, 5, "spool limit reached"), row(7)};
  });
  const auto run = runs().GetRun(spec.key.uuid);
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_THAT(run->sources, SizeIs(1));
  EXPECT_EQ(run->sources[0].last_seq, 7);
  EXPECT_EQ(run->sources[0].gap_count, 5);
  EXPECT_EQ(run->sources[0].metric_count, 1);
  const auto parts = ReadAll(spec.key.run_id, {"m"});
  ASSERT_THAT(parts, SizeIs(1));
  ASSERT_THAT(parts[0].samples, SizeIs(2));
  EXPECT_EQ(parts[0].samples[1].seq, 7);
}

TEST_F(SampleContractTest, StacksAreSummedOverTheRange) {
  model::Source source;
  source.source_id = 2;
  source.name = "perf-record";
  source.content = model::SourceContent::kStacks;
  source.metrics = {Gauge("perf-profile.cpu-clock")};
  const std::vector<std::string> folded{"swapload;main;do_swap_page", "swapload;main"};
  const auto hash = [&](std::size_t i) { return model::Hash63(folded[i]); };
  const model::RunSpec spec = NewSpec("abc");
  ASSERT_TRUE(ingest().OpenRun(spec, "bot").ok());
  ASSERT_TRUE(ingest().AddStacks(spec.key.run_id, folded).ok());
  ASSERT_TRUE(ingest().AddStacks(spec.key.run_id, folded).ok());
  Send(spec, source, [&](std::int64_t epoch) -> std::vector<EncodedBatch> {
    const auto window = [&](std::int64_t seq, std::int64_t first, std::int64_t second) {
      return EncodeStacks(spec.key.run_id, 2, epoch,
                          {.seq = seq,
                           .begin_time = At(seq * 1'000'000),
                           .duration_us = 1'000'000,
                           .stack_hashes = {hash(0), hash(1)},
                           .counts = {first, second}});
    };
    return {window(1, 1, 10), window(2, 5, 20), window(3, 100, 1)};
  });
  const auto all = runs().ReadStacks(spec.key.run_id, {});
  ASSERT_TRUE(all.ok()) << all.status();
  ASSERT_THAT(*all, SizeIs(2));
  EXPECT_EQ((*all)[0].event, "cpu-clock");
  EXPECT_EQ((*all)[0].folded, folded[0]);
  EXPECT_EQ((*all)[0].count, 106);
  EXPECT_EQ((*all)[1].count, 31);
  const auto part =
      runs().ReadStacks(spec.key.run_id, {.begin = At(1'000'000), .end = At(3'000'000)});
  ASSERT_TRUE(part.ok()) << part.status();
  ASSERT_THAT(*part, SizeIs(2));
  EXPECT_EQ((*part)[0].folded, folded[1]);
  EXPECT_EQ((*part)[0].count, 30);
  EXPECT_EQ((*part)[1].count, 6);
  EXPECT_THAT(runs().ReadStacks(4711, {}).status(), HasCode(absl::StatusCode::kNotFound));
}

TEST_F(SampleContractTest, AProfilesSharesAreRunValues) {
  model::Source source;
  source.source_id = 2;
  source.name = "perf-record";
  source.content = model::SourceContent::kStacks;
  source.metrics = {Gauge("perf-profile.cpu-clock")};
  const std::vector<std::string> folded{"swapload;main;do_swap_page.part.0", "swapload;main"};
  const model::RunSpec spec = NewSpec("abc");
  ASSERT_TRUE(ingest().OpenRun(spec, "bot").ok());
  ASSERT_TRUE(ingest().AddStacks(spec.key.run_id, folded).ok());
  const auto epoch = Send(spec, source, [&](std::int64_t e) -> std::vector<EncodedBatch> {
    const auto window = [&](std::int64_t seq, std::int64_t first, std::int64_t second) {
      return EncodeStacks(spec.key.run_id, 2, e,
                          {.seq = seq,
                           .begin_time = At(seq * 1'000'000),
                           .duration_us = 1'000'000,
                           .stack_hashes = {model::Hash63(folded[0]), model::Hash63(folded[1])},
                           .counts = {first, second}});
    };
    return {window(1, 1, 2), window(2, 2, 3)};  // 3 and 5 of 8 samples.
  });
  ASSERT_TRUE(ingest().EndRun(spec.key.run_id, epoch, EndedAt(At(9'000'000))).ok());
  std::vector<std::pair<std::string, double>> shares;
  for (const RunValue& value : test::NounsOf(runs().ListRunValues(spec.key.run_id))) {
    shares.emplace_back(value.metric.name, value.value);
    EXPECT_EQ(value.metric.unit, "%");
    EXPECT_EQ(value.sample_count, 8);
  }
  EXPECT_THAT(shares, ElementsAre(Pair("perf-profile.calltrace.cpu-clock.do_swap_page.main", 37.5),
                                  Pair("perf-profile.calltrace.cpu-clock.main", 100),
                                  Pair("perf-profile.children.cpu-clock.do_swap_page", 37.5),
                                  Pair("perf-profile.children.cpu-clock.main", 100),
                                  Pair("perf-profile.self.cpu-clock.do_swap_page", 37.5),
                                  Pair("perf-profile.self.cpu-clock.main", 62.5)));
}

TEST_F(SampleContractTest, ObservationsComeInTheOrderOfTheOperations) {
  model::Source source = DoubleSource(4, {"sparsetruncate.other_us", "sparsetruncate.truncate_us"});
  source.content = model::SourceContent::kObservations;
  const model::RunSpec spec = NewSpec("abc");
  Send(spec, source, [&](std::int64_t epoch) -> std::vector<EncodedBatch> {
    std::vector<EncodedBatch> batches;
    for (std::int64_t seq = 1; seq <= 9; ++seq) {
      const auto number = static_cast<double>(seq);
      batches.push_back(EncodeObservations(spec.key.run_id, 4, epoch,
                                           {.seq = seq,
                                            .metric_index = static_cast<std::int32_t>(seq % 2),
                                            .values = {number, number + 0.5}}));
    }
    return batches;
  });
  std::vector<double> read;
  const auto take = [&](const model::Metric& metric, std::vector<double> values) {
    EXPECT_EQ(metric.name, "sparsetruncate.truncate_us");
    read.insert(read.end(), values.begin(), values.end());
    return absl::OkStatus();
  };
  ASSERT_TRUE(runs().ReadObservations(spec.key.run_id, "sparsetruncate.truncate_us", take).ok());
  EXPECT_THAT(read, ElementsAre(1, 1.5, 3, 3.5, 5, 5.5, 7, 7.5, 9, 9.5));
  const absl::Status unknown =
      runs().ReadObservations(spec.key.run_id, "sparsetruncate.truncate", take);
  EXPECT_THAT(unknown, HasCode(absl::StatusCode::kNotFound));
  EXPECT_THAT(std::string(unknown.message()), HasSubstr("sparsetruncate.truncate_us"));
}

}  // namespace
}  // namespace regressd::storage
