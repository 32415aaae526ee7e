#include "services/agent/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "services/model/catalog.h"
#include "tests/agent/spool_builder.h"

namespace regressd::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RecorderTest : public ::testing::Test {
 protected:
  void Declare(const std::vector<std::string>& names,
               model::SourceContent content = model::SourceContent::kIntSamples) {
    model::Source source{.source_id = 1, .name = "proc", .content = content, .metrics = {}};
    for (const std::string& name : names) source.metrics.push_back(model::Declare(name));
    recorder_.Declare(source);
  }

  /// What a stream would carry before the end.
  std::vector<v1::PushRequest> Sent() {
    recorder_.Flush();
    spool_->End(testing::MakeEnd());
    std::vector<v1::PushRequest> messages = spool_->BeginStream({});
    const std::atomic<bool> interrupted = false;
    while (std::optional<v1::PushRequest> message = spool_->Next({}, interrupted)) {
      if (message->has_end()) break;
      v1::Ack ack;
      ack.set_source_id(1);
      ack.set_last_seq(spool_->LastSeq(1));
      messages.push_back(*std::move(message));
      if (spool_->stats().waiting_count <= 1) spool_->Acknowledge(ack);
    }
    return messages;
  }

  static model::Time At(std::int64_t seconds) { return model::Time(std::chrono::seconds(seconds)); }

  std::unique_ptr<Spool> spool_ = *Spool::Create({}, testing::MakeHello());
  Recorder recorder_{*spool_, 600};
};

TEST_F(RecorderTest, AMetricThatNoServerTakesIsLeftOutAloneAndNoted) {
  Declare({"a", "bad\xff", "b", "bad\x01", "a", std::string(600, 'x')});
  recorder_.AddRow(1, {.time = At(1), .ints = {1, 2, 3, 4, 5, 6}, .doubles = {}, .missing = {}});
  const std::vector<v1::PushRequest> sent = Sent();
  ASSERT_EQ(sent.size(), 2u);
  ASSERT_EQ(sent[0].source().metrics_size(), 2);
  EXPECT_EQ(sent[0].source().metrics(0).name(), "a");
  EXPECT_EQ(sent[0].source().metrics(1).name(), "b");
  EXPECT_THAT(sent[1].batch().int_deltas(), ElementsAre(1, 3));
  const std::string note = recorder_.notes().at("proc");
  EXPECT_THAT(note, HasSubstr("metric \"bad\\xff\" left out"));
  EXPECT_THAT(note, HasSubstr("metric \"bad\\x01\" left out"));
}

TEST_F(RecorderTest, ObservationsKeepTheirMetricWhenAnotherOneIsLeftOut) {
  Declare({"bad\xff", "good"}, model::SourceContent::kObservations);
  const std::vector<double> values = {1.5, 2.5};
  recorder_.AddObservations(1, 0, values);
  recorder_.AddObservations(1, 1, values);
  const std::vector<v1::PushRequest> sent = Sent();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[1].observation_batch().metric_index(), 0);
  EXPECT_EQ(sent[1].observation_batch().seq(), 1);
}

TEST_F(RecorderTest, ASourceWithoutAnyGoodMetricIsNotSent) {
  Declare({"bad\xff"});
  recorder_.AddRow(1, {.time = At(1), .ints = {1}, .doubles = {}, .missing = {}});
  EXPECT_TRUE(Sent().empty());
  EXPECT_EQ(recorder_.sample_count(), 0);
}

// perf stat counts nothing of a command that does not get on a CPU, and its source is declared
// with the first count.
TEST_F(RecorderTest, AnIntervalWithoutAnyValueIsNoSample) {
  recorder_.AddRow(1, {.time = At(1), .ints = {}, .doubles = {}, .missing = {}});
  Declare({"a"});
  recorder_.AddRow(1, {.time = At(2), .ints = {7}, .doubles = {}, .missing = {}});
  const std::vector<v1::PushRequest> sent = Sent();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_TRUE(sent[0].has_source());
  EXPECT_EQ(sent[1].batch().first_seq(), 1);
  EXPECT_EQ(sent[1].batch().sample_count(), 1);
}

TEST_F(RecorderTest, ATimeThatNoServerTakesCostsOnlyItsSample) {
  Declare({"a"});
  for (const std::int64_t seconds : {-1LL, 1LL, 7'258'118'400LL}) {  // date -u -d 2200-01-01 +%s
    recorder_.AddRow(1, {.time = At(seconds), .ints = {7}, .doubles = {}, .missing = {}});
  }
  const std::vector<v1::PushRequest> sent = Sent();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_THAT(sent[1].batch().time_delta_us(), ElementsAre(1'000'000));
}

TEST_F(RecorderTest, AValueThatIsNoNumberIsMissing) {
  Declare({"a", "b"}, model::SourceContent::kDoubleSamples);
  recorder_.AddRow(1, {.time = At(1), .ints = {}, .doubles = {std::nan(""), 2.0}, .missing = {}});
  const std::vector<v1::PushRequest> sent = Sent();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_THAT(sent[1].batch().doubles(), ElementsAre(0, 2));
  EXPECT_EQ(sent[1].batch().missing_bits(), "\x01");
}

TEST_F(RecorderTest, WideRowsAreSealedBeforeTheirBatchIsTooLarge) {
  std::vector<std::string> names;
  for (int i = 0; i < 5000; ++i) names.push_back("m" + std::to_string(i));
  Declare(names);
  for (int i = 0; i < 120; ++i) {
    // Differences of full range take 10 bytes each.
    const std::int64_t value = i % 2 == 0 ? std::numeric_limits<std::int64_t>::min() : 0;
    recorder_.AddRow(1, {.time = At(i),
                         .ints = std::vector<std::int64_t>(names.size(), value),
                         .doubles = {},
                         .missing = {}});
  }
  recorder_.Flush();
  EXPECT_EQ(spool_->stats().lost_seq_count, 0);
  EXPECT_EQ(spool_->stats().taken_count, 3);  // 50 rows of 5000 values are 250000.
}

TEST_F(RecorderTest, NotesStayWithinWhatTheServerTakes) {
  for (int i = 0; i < 10'000; ++i) recorder_.AddNote("proc", "problem " + std::to_string(i));
  const std::string note = recorder_.notes().at("proc");
  EXPECT_LT(note.size(), 65536u);  // RunOutcome.monitor_notes of the proto.
  EXPECT_TRUE(note.ends_with("; and more"));
}

}  // namespace
}  // namespace regressd::agent
