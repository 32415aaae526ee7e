#include "services/ingest/push_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include <atomic>
#include <future>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/fake_agent.h"
#include "tests/support/ingest_builders.h"
#include "tests/support/intercepted_store.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_store.h"

namespace regressd::ingest {
namespace {

using absl::StatusCode;
using test::BatchMessage;
using test::EndMessage;
using test::FakeAgent;
using test::HelloOf;
using test::RunSpecOf;
using test::SourceMessage;
using testing::AllOf;
using testing::HasSubstr;
using Batches = test::InterceptedFactory::Batches;

class PushSessionTest : public testing::Test {
 protected:
  std::unique_ptr<storage::CommitterPool> NewPool(std::size_t max_queue_bytes = 64 << 20) {
    storage::CommitterPool::Options options;
    options.committer_count = 1;
    options.limits.max_bytes = max_queue_bytes;
    options.backoff = {std::chrono::milliseconds(1), std::chrono::milliseconds(4)};
    return std::make_unique<storage::CommitterPool>(factory_, metrics_, options);
  }

  /// An agent that has said Hello and declared source 1.
  std::unique_ptr<FakeAgent> NewAgent(storage::CommitterPool& pool, int number = 1) {
    auto agent = std::make_unique<FakeAgent>(pool, metrics_);
    EXPECT_TRUE(agent->Send(HelloOf(number)));
    EXPECT_TRUE(agent->Send(SourceMessage()));
    return agent;
  }

  /// How the stream ends when an agent that has declared source 1 sends `request`.
  absl::Status Refusal(const v1::PushRequest& request) {
    const auto pool = NewPool();
    const auto agent = NewAgent(*pool);
    EXPECT_TRUE(agent->Send(request));
    return agent->AwaitFinish();
  }

  std::int64_t CountStored(int number) {
    std::int64_t count = 0;
    const absl::Status read =
        memory_.ReadSamples(RunSpecOf(number).key.run_id, std::vector<std::string>{"m.a"}, {},
                            [&](const storage::SamplePart& part) {
                              count += static_cast<std::int64_t>(part.samples.size());
                              return absl::OkStatus();
                            });
    EXPECT_TRUE(read.ok()) << read;
    return count;
  }

  test::ManualClock clock_;
  test::MemoryStore memory_{clock_};
  test::InterceptedFactory factory_{memory_};
  prometheus::Registry registry_;
  IngestMetrics metrics_{registry_};
};

TEST_F(PushSessionTest, ARunFromHelloToEnd) {
  const auto pool = NewPool();
  FakeAgent agent(*pool, metrics_);
  ASSERT_TRUE(agent.Send(HelloOf(1)));
  const v1::Resume resume = agent.AwaitResume();
  EXPECT_EQ(resume.epoch(), 1);
  EXPECT_EQ(resume.cursors_size(), 0);
  EXPECT_GT(resume.window_batch_count(), 0);
  ASSERT_TRUE(agent.Send(SourceMessage()));
  for (std::int64_t seq = 1; seq <= 5; ++seq) ASSERT_TRUE(agent.Send(BatchMessage(seq)));
  EXPECT_EQ(agent.AwaitAck(1, 5), 5);
  ASSERT_TRUE(agent.Send(EndMessage()));
  const auto ended = agent.AwaitEnded();
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->state(), v1::RUN_STATE_COMPLETE);
  EXPECT_TRUE(agent.AwaitFinish().ok());
  EXPECT_EQ(CountStored(1), 5);
}

TEST_F(PushSessionTest, ResumesWhereTheStoreStands) {
  const auto pool = NewPool();
  {
    const auto agent = NewAgent(*pool);
    ASSERT_TRUE(agent->Send(BatchMessage(1, 7)));
    EXPECT_EQ(agent->AwaitAck(1, 7), 7);
  }
  FakeAgent agent(*pool, metrics_);
  ASSERT_TRUE(agent.Send(HelloOf(1)));
  const v1::Resume resume = agent.AwaitResume();
  EXPECT_EQ(resume.epoch(), 2);
  ASSERT_EQ(resume.cursors_size(), 1);
  EXPECT_EQ(resume.cursors(0).last_seq(), 7);
  ASSERT_TRUE(agent.Send(SourceMessage()));
  ASSERT_TRUE(agent.Send(BatchMessage(8)));
  EXPECT_EQ(agent.AwaitAck(1, 8), 8);
}

TEST_F(PushSessionTest, WhatIsStoredAlreadyIsAcknowledgedAgain) {
  const auto pool = NewPool();
  {
    const auto agent = NewAgent(*pool);
    ASSERT_TRUE(agent->Send(BatchMessage(1, 3)));
    EXPECT_EQ(agent->AwaitAck(1, 3), 3);
  }
  const auto agent = NewAgent(*pool);
  ASSERT_TRUE(agent->Send(BatchMessage(1, 3)));
  EXPECT_EQ(agent->AwaitAck(1, 3), 3);
  EXPECT_EQ(CountStored(1), 3);
}

TEST_F(PushSessionTest, WhatIsUnderWayIsAcknowledgedWithItsCommitAndNotBefore) {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  factory_.before_commit = [&](Batches) {
    released.wait();
    return absl::OkStatus();
  };
  const auto pool = NewPool();
  const auto agent = NewAgent(*pool);
  ASSERT_TRUE(agent->Send(BatchMessage(1)));
  ASSERT_TRUE(agent->Send(BatchMessage(1)));  // Again, while it is under way.
  ASSERT_TRUE(agent->Send(BatchMessage(2)));
  EXPECT_EQ(agent->write_count(), 1U);  // Resume.
  release.set_value();
  EXPECT_EQ(agent->AwaitAck(1, 2), 2);
  EXPECT_EQ(CountStored(1), 2);
}

TEST_F(PushSessionTest, AcknowledgementsGatherWhileOneIsWritten) {
  const auto pool = NewPool();
  const auto agent = NewAgent(*pool);
  agent->AwaitResume();
  agent->HoldWrites(true);
  for (std::int64_t seq = 1; seq <= 50; ++seq) ASSERT_TRUE(agent->Send(BatchMessage(seq)));
  agent->SayNoMore();
  pool->Drain(std::chrono::minutes(10));  // Everything is stored, at most one write went out.
  agent->HoldWrites(false);
  EXPECT_TRUE(agent->AwaitFinish().ok());
  EXPECT_EQ(agent->AwaitAck(1, 50), 50);
  EXPECT_LE(agent->write_count(), 3U);  // Resume, the one that was held, the rest.
}

TEST_F(PushSessionTest, SkippedNumbersAreOutOfRangeAndNameTheNext) {
  const absl::Status status = Refusal(BatchMessage(2));
  EXPECT_EQ(status.code(), StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("source 1"), HasSubstr("1 is skipped")));
}

TEST_F(PushSessionTest, ABatchThatStraddlesWhatWasTakenIsInvalid) {
  const auto pool = NewPool();
  const auto agent = NewAgent(*pool);
  ASSERT_TRUE(agent->Send(BatchMessage(1, 3)));
  ASSERT_TRUE(agent->Send(BatchMessage(2, 3)));
  EXPECT_EQ(agent->AwaitFinish().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(agent->AwaitAck(1, 3), 3);  // What was good before is kept and said so.
  EXPECT_EQ(CountStored(1), 3);
}

TEST_F(PushSessionTest, AWrongMessageEndsTheStreamAfterAllBeforeItIsAcknowledged) {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  factory_.before_commit = [&](Batches) {
    released.wait();
    return absl::OkStatus();
  };
  const auto pool = NewPool();
  const auto agent = NewAgent(*pool);
  for (std::int64_t seq = 1; seq <= 3; ++seq) ASSERT_TRUE(agent->Send(BatchMessage(seq)));
  v1::PushRequest wrong = BatchMessage(4);
  wrong.mutable_batch()->clear_int_deltas();
  ASSERT_TRUE(agent->Send(wrong));
  release.set_value();
  const absl::Status status = agent->AwaitFinish();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("batch.int_deltas"));
  EXPECT_EQ(agent->AwaitAck(1, 3), 3);
}

TEST_F(PushSessionTest, AGapTakesItsNumbers) {
  const auto pool = NewPool();
  const auto agent = NewAgent(*pool);
  ASSERT_TRUE(agent->Send(BatchMessage(1)));
  v1::PushRequest gap;
  gap.mutable_gap()->set_source_id(1);
  gap.mutable_gap()->set_first_seq(2);
  gap.mutable_gap()->set_count(9);
  gap.mutable_gap()->set_reason("spool limit of 64 MiB reached");
  ASSERT_TRUE(agent->Send(gap));
  ASSERT_TRUE(agent->Send(BatchMessage(11)));
  EXPECT_EQ(agent->AwaitAck(1, 11), 11);
  EXPECT_EQ(CountStored(1), 2);
}

TEST_F(PushSessionTest, StacksAndObservations) {
  const auto pool = NewPool();
  const auto agent = NewAgent(*pool);
  v1::PushRequest stacks = SourceMessage(2, 1);
  stacks.mutable_source()->set_content(v1::SOURCE_CONTENT_STACKS);
  ASSERT_TRUE(agent->Send(stacks));
  v1::PushRequest observed = SourceMessage(3, 1);
  observed.mutable_source()->set_content(v1::SOURCE_CONTENT_OBSERVATIONS);
  ASSERT_TRUE(agent->Send(observed));

  v1::PushRequest dictionary;
  dictionary.mutable_stack_dictionary()->add_folded("a;b");
  dictionary.mutable_stack_dictionary()->add_folded("a;c");
  ASSERT_TRUE(agent->Send(dictionary));
  v1::PushRequest counts;
  counts.mutable_stack_batch()->set_source_id(2);
  counts.mutable_stack_batch()->set_seq(1);
  counts.mutable_stack_batch()->set_begin_time_us(1'700'000'000'000'000);
  for (const int index : {0, 1, 0}) {
    counts.mutable_stack_batch()->add_stack_index(index);
    counts.mutable_stack_batch()->add_count(index + 1);
  }
  ASSERT_TRUE(agent->Send(counts));
  v1::PushRequest values;
  values.mutable_observation_batch()->set_source_id(3);
  values.mutable_observation_batch()->set_seq(1);
  values.mutable_observation_batch()->add_values(2.5);
  ASSERT_TRUE(agent->Send(values));
  EXPECT_EQ(agent->AwaitAck(2, 1), 1);
  EXPECT_EQ(agent->AwaitAck(3, 1), 1);

  const auto stored = memory_.ReadStacks(RunSpecOf(1).key.run_id, {});
  ASSERT_TRUE(stored.ok()) << stored.status();
  ASSERT_EQ(stored->size(), 2U);
  for (const auto& stack : *stored) EXPECT_EQ(stack.count, 2) << stack.folded;
}

TEST_F(PushSessionTest, TheFirstMessageIsHello) {
  const auto pool = NewPool();
  FakeAgent agent(*pool, metrics_);
  ASSERT_TRUE(agent.Send(BatchMessage(1)));
  EXPECT_EQ(agent.AwaitFinish().code(), StatusCode::kFailedPrecondition);
}

TEST_F(PushSessionTest, AnotherProtocolIsRefused) {
  const auto pool = NewPool();
  FakeAgent agent(*pool, metrics_);
  v1::PushRequest hello = HelloOf(1);
  hello.mutable_hello()->set_protocol_version(2);
  ASSERT_TRUE(agent.Send(hello));
  const absl::Status status = agent.AwaitFinish();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("hello.protocol_version"));
}

TEST_F(PushSessionTest, ASecondHelloOnOneStreamIsRefused) {
  EXPECT_EQ(Refusal(HelloOf(1)).code(), StatusCode::kFailedPrecondition);
}

TEST_F(PushSessionTest, AnUndeclaredSourceIsNamed) {
  const absl::Status status = Refusal(BatchMessage(1, 1, 9));
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("batch.source_id"), HasSubstr("9")));
}

TEST_F(PushSessionTest, ASourceThatContradictsItsFirstDeclarationIsRefused) {
  v1::PushRequest changed = SourceMessage();
  changed.mutable_source()->mutable_metrics(1)->set_unit("pages");
  EXPECT_EQ(Refusal(changed).code(), StatusCode::kInvalidArgument);
}

TEST_F(PushSessionTest, ADifferenceOfSomethingThatIsNoTotalIsRefused) {
  v1::PushRequest source = SourceMessage(2);
  source.mutable_source()->mutable_metrics(1)->set_reduction(v1::REDUCTION_DELTA);
  const absl::Status status = Refusal(source);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("source.metrics[1].reduction"));
}

TEST_F(PushSessionTest, AStreamsMetricsAreBoundedOverAllItsSources) {
  const auto pool = NewPool();
  const auto agent = NewAgent(*pool);  // Two metrics already.
  v1::PushRequest request = SourceMessage(2, 0);
  for (int k = 0; k < 8192; ++k) {
    v1::Metric& metric = *request.mutable_source()->add_metrics();
    metric.set_name("metric." + std::to_string(k));
    metric.set_kind(v1::METRIC_KIND_GAUGE);
  }
  for (std::int32_t source_id = 2; source_id <= 9; ++source_id) {  // 8 * 8192 = 65,536.
    request.mutable_source()->set_source_id(source_id);
    ASSERT_TRUE(agent->Send(request));
  }
  const absl::Status status = agent->AwaitFinish();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("65538"));
}

TEST_F(PushSessionTest, ANewerStreamFencesAnOlderOne) {
  const auto pool = NewPool();
  const auto old_agent = NewAgent(*pool);
  const auto new_agent = NewAgent(*pool);
  ASSERT_TRUE(old_agent->Send(BatchMessage(1)));
  EXPECT_EQ(old_agent->AwaitFinish().code(), StatusCode::kAborted);
  ASSERT_TRUE(new_agent->Send(BatchMessage(1)));
  EXPECT_EQ(new_agent->AwaitAck(1, 1), 1);
  EXPECT_EQ(CountStored(1), 1);
}

TEST_F(PushSessionTest, AnEndedRunSaysSoAndTakesNothingButItsEndAgain) {
  const auto pool = NewPool();
  {
    const auto agent = NewAgent(*pool);
    ASSERT_TRUE(agent->Send(EndMessage(1)));
    EXPECT_TRUE(agent->AwaitFinish().ok());
  }
  FakeAgent again(*pool, metrics_);
  ASSERT_TRUE(again.Send(HelloOf(1)));
  EXPECT_TRUE(again.AwaitResume().already_ended());
  ASSERT_TRUE(again.Send(EndMessage(1)));
  ASSERT_TRUE(again.AwaitEnded().has_value());
  EXPECT_EQ(again.AwaitEnded()->state(), v1::RUN_STATE_FAILED);
  EXPECT_TRUE(again.AwaitFinish().ok());

  FakeAgent more(*pool, metrics_);
  ASSERT_TRUE(more.Send(HelloOf(1)));
  ASSERT_TRUE(more.Send(SourceMessage()));
  EXPECT_EQ(more.AwaitFinish().code(), StatusCode::kFailedPrecondition);
}

TEST_F(PushSessionTest, WhileTheQueueIsFullNothingIsRead) {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  factory_.before_commit = [&](Batches) {
    released.wait();
    return absl::OkStatus();
  };
  const auto pool = NewPool(15'000);
  const auto agent = NewAgent(*pool);
  std::int64_t sent = 0;
  // One batch of 100 samples is about 10 kB encoded: the second fills the queue.
  for (; sent < 2; ++sent) ASSERT_TRUE(agent->Send(BatchMessage(sent * 100 + 1, 100)));
  EXPECT_FALSE(agent->is_read());
  release.set_value();
  EXPECT_EQ(agent->AwaitAck(1, 200), 200);
  EXPECT_TRUE(agent->Send(BatchMessage(201, 100)));
  EXPECT_EQ(agent->AwaitAck(1, 300), 300);
}

TEST_F(PushSessionTest, DrainEndsTheStreamOnceAllThatWasTakenIsAcknowledged) {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  factory_.before_commit = [&](Batches) {
    released.wait();
    return absl::OkStatus();
  };
  const auto pool = NewPool();
  const auto agent = NewAgent(*pool);
  for (std::int64_t seq = 1; seq <= 3; ++seq) ASSERT_TRUE(agent->Send(BatchMessage(seq)));
  agent->Drain();
  EXPECT_TRUE(agent->Send(BatchMessage(4)));  // Read, but not taken.
  release.set_value();
  EXPECT_EQ(agent->AwaitFinish().code(), StatusCode::kUnavailable);
  EXPECT_EQ(agent->AwaitAck(1, 3), 3);
  EXPECT_EQ(CountStored(1), 3);
}

TEST_F(PushSessionTest, AnAgentThatGoesWithoutEndGetsItsLastAcknowledgements) {
  const auto pool = NewPool();
  const auto agent = NewAgent(*pool);
  ASSERT_TRUE(agent->Send(BatchMessage(1)));
  agent->SayNoMore();
  EXPECT_TRUE(agent->AwaitFinish().ok());
  EXPECT_EQ(agent->AwaitAck(1, 1), 1);
}

TEST_F(PushSessionTest, WhatACancelledStreamSentIsStored) {
  const auto pool = NewPool();
  const auto agent = NewAgent(*pool);
  ASSERT_TRUE(agent->Send(BatchMessage(1)));
  agent->Cancel();
  pool->Drain(std::chrono::minutes(10));
  EXPECT_EQ(CountStored(1), 1);
}

TEST_F(PushSessionTest, AStoreThatIsAwayTurnsHelloAway) {
  factory_.before_connect = [] { return absl::UnavailableError("connection refused"); };
  const auto pool = NewPool();
  FakeAgent agent(*pool, metrics_);
  ASSERT_TRUE(agent.Send(HelloOf(1)));
  EXPECT_EQ(agent.AwaitFinish().code(), StatusCode::kUnavailable);
}

TEST_F(PushSessionTest, ManyAgentsFromManyThreads) {
  constexpr int kAgents = 6;
  static constexpr std::int64_t kBatches = 100;
  const auto pool = NewPool(50'000);  // Small enough to park.
  std::vector<std::jthread> threads;
  for (int number = 1; number <= kAgents; ++number) {
    threads.emplace_back([&, number] {
      const auto agent = NewAgent(*pool, number);
      for (std::int64_t i = 0; i < kBatches; ++i)
        EXPECT_TRUE(agent->Send(BatchMessage(i * 10 + 1, 10)));
      EXPECT_TRUE(agent->Send(EndMessage()));
      EXPECT_TRUE(agent->AwaitEnded().has_value());
      EXPECT_EQ(agent->AwaitAck(1, kBatches * 10), kBatches * 10);
    });
  }
  threads.clear();
  for (int number = 1; number <= kAgents; ++number) EXPECT_EQ(CountStored(number), kBatches * 10);
}

}  // namespace
}  // namespace regressd::ingest
