#include "services/agent/sender.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/agent/fake_ingest.h"
#include "tests/agent/spool_builder.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;
using testing::FakeIngest;
using testing::MakeBatch;
using testing::MakeEnd;
using testing::MakeHello;
using testing::MakeSource;
using testing::StoredRun;
using testing::StreamScript;

constexpr int kUnavailable = 14;

class SenderTest : public ::testing::Test {
 protected:
  SenderTest() : directory_(*PrivateDirectory::Create()) {}

  std::unique_ptr<Spool> MakeSpool(SpoolOptions options = {}) {
    options.directory = directory_.path();
    return *Spool::Create(options, MakeHello());
  }

  SenderOptions Options() const {
    return {.server = fake_.address(),
            .min_backoff = std::chrono::milliseconds(1),
            .max_backoff = std::chrono::milliseconds(20)};
  }

  /// Waits for the end, however long it takes.
  static SenderState Await(const Sender& sender) {
    pollfd polled = {.fd = sender.done_fd(), .events = POLLIN, .revents = 0};
    poll(&polled, 1, -1);
    return sender.state();
  }

  void ExpectAll(std::int64_t batch_count) {
    EXPECT_EQ(fake_.violations(), std::vector<std::string>{});
    const StoredRun run = fake_.OnlyRun();
    for (const std::int32_t source_id : {1, 2}) {
      const auto& rows = run.sources.at(source_id).rows;
      ASSERT_EQ(rows.size(), static_cast<std::size_t>(batch_count)) << "source " << source_id;
      for (const auto& [seq, row] : rows) {
        EXPECT_EQ(row.ints.at(0), 1000 * seq);
        EXPECT_EQ(row.time_us, 1'000'000 * seq);
      }
    }
    EXPECT_TRUE(run.outcome.has_value());
    for (const std::string& hello : run.hellos) EXPECT_EQ(hello, run.hellos.front());
  }

  static void Fill(Spool& spool, std::int64_t first, std::int64_t last) {
    for (std::int64_t seq = first; seq <= last; ++seq) {
      spool.Append(MakeBatch(1, seq));
      spool.Append(MakeBatch(2, seq));
    }
  }

  static void Declare(Spool& spool) {
    EXPECT_EQ(spool.Declare(MakeSource(1)), absl::OkStatus());
    EXPECT_EQ(spool.Declare(MakeSource(2)), absl::OkStatus());
  }

  PrivateDirectory directory_;
  FakeIngest fake_;
};

TEST_F(SenderTest, DeliversEverythingOnce) {
  const auto spool = MakeSpool();
  const Sender sender(Options(), *spool);
  Declare(*spool);
  Fill(*spool, 1, 50);
  spool->End(MakeEnd());
  EXPECT_EQ(Await(sender).delivery, Delivery::kDelivered);
  EXPECT_EQ(fake_.stream_count(), 1);
  EXPECT_EQ(spool->stats().acknowledged_count, 100);
  ExpectAll(50);
}

TEST_F(SenderTest, LosesAndDoublesNothingWhereverTheStreamBreaks) {
  // Message 1 is Hello, 2 and 3 the sources, then 40 batches and the end. Each stream breaks a
  // little later than the one before, in turn before and after the message at the break was stored.
  std::vector<StreamScript> scripts;
  for (int at = 2; at <= 30; ++at) {
    scripts.push_back({.break_at_message = at, .store_before_break = at % 2 == 0});
  }
  fake_.Script(scripts);
  const auto spool = MakeSpool();
  const Sender sender(Options(), *spool);
  Declare(*spool);
  Fill(*spool, 1, 20);
  spool->End(MakeEnd());
  EXPECT_EQ(Await(sender).delivery, Delivery::kDelivered);
  EXPECT_GT(fake_.stream_count(), 5);
  ExpectAll(20);
}

TEST_F(SenderTest, AnEndWhoseAnswerWasLostIsFoundDone) {
  // Hello, 2 sources, 2 batches: the end is message 6, stored, its answer never sent.
  fake_.Script({{.break_at_message = 6, .store_before_break = true}});
  const auto spool = MakeSpool();
  const Sender sender(Options(), *spool);
  Declare(*spool);
  Fill(*spool, 1, 1);
  spool->End(MakeEnd());
  EXPECT_EQ(Await(sender).delivery, Delivery::kDelivered);
  EXPECT_EQ(fake_.stream_count(), 2);
  ExpectAll(1);
}

TEST_F(SenderTest, WaitsForAServerThatIsAwayAndGoesOnWithOneThatCameBack) {
  fake_.Stop();
  const auto spool = MakeSpool();
  const Sender sender(Options(), *spool);
  Declare(*spool);
  Fill(*spool, 1, 10);
  fake_.Start();
  fake_.Stop();
  Fill(*spool, 11, 20);
  fake_.Start();
  spool->End(MakeEnd());
  EXPECT_EQ(Await(sender).delivery, Delivery::kDelivered);
  ExpectAll(20);
}

TEST_F(SenderTest, NeverHasMoreInFlightThanTheServerAllows) {
  fake_.set_window(4);
  fake_.set_ack_every(4);
  const auto spool = MakeSpool();
  Declare(*spool);
  Fill(*spool, 1, 100);
  spool->End(MakeEnd());
  const Sender sender(Options(), *spool);
  EXPECT_EQ(Await(sender).delivery, Delivery::kDelivered);
  EXPECT_EQ(fake_.OnlyRun().largest_in_flight, 4);
  ExpectAll(100);
}

TEST_F(SenderTest, SendsTheStacksOfTheRunAgainOnEachStream) {
  fake_.Script({{.break_at_message = 4}, {.break_at_message = 5}});
  const auto spool = MakeSpool();
  v1::Source source = MakeSource(1);
  source.set_content(v1::SOURCE_CONTENT_STACKS);
  EXPECT_EQ(spool->Declare(source), absl::OkStatus());
  for (int window = 0; window < 3; ++window) {
    v1::StackDictionary entries;
    entries.set_first_index(window);
    entries.add_folded("swapload;main;f" + std::to_string(window));
    spool->AddStacks(entries);
    v1::PushRequest message;
    v1::StackBatch& batch = *message.mutable_stack_batch();
    batch.set_source_id(1);
    batch.set_seq(window + 1);
    for (int i = 0; i <= window; ++i) {
      batch.add_stack_index(i);
      batch.add_count(10 + i);
    }
    spool->Append(message);
  }
  spool->End(MakeEnd());
  const Sender sender(Options(), *spool);
  EXPECT_EQ(Await(sender).delivery, Delivery::kDelivered);
  EXPECT_EQ(fake_.violations(), std::vector<std::string>{});
  const std::map<std::string, std::int64_t> expected = {
      {"swapload;main;f0", 30}, {"swapload;main;f1", 22}, {"swapload;main;f2", 12}};
  EXPECT_EQ(fake_.OnlyRun().sources.at(1).stacks, expected);
}

TEST_F(SenderTest, GapsTakeTheirPlaceInTheOrder) {
  fake_.Stop();
  const auto spool = MakeSpool({.max_bytes = 10 * MakeBatch(1, 1).ByteSizeLong()});
  const Sender sender(Options(), *spool);
  Declare(*spool);
  Fill(*spool, 1, 50);
  fake_.Start();
  spool->End(MakeEnd());
  EXPECT_EQ(Await(sender).delivery, Delivery::kDelivered);
  EXPECT_EQ(fake_.violations(), std::vector<std::string>{});
  const StoredRun run = fake_.OnlyRun();
  std::int64_t lost = 0;
  for (const std::int32_t source_id : {1, 2}) {
    const auto& source = run.sources.at(source_id);
    EXPECT_EQ(source.last_seq, 50);
    for (const v1::Gap& gap : source.gaps) lost += gap.count();
    ASSERT_FALSE(source.gaps.empty());
    EXPECT_NE(source.gaps.front().reason(), "");
  }
  EXPECT_EQ(lost, spool->stats().lost_seq_count);
  EXPECT_EQ(lost + static_cast<std::int64_t>(run.sources.at(1).rows.size() +
                                             run.sources.at(2).rows.size()),
            100);
}

TEST_F(SenderTest, ARecoveredSpoolBringsTheRestWithoutDoubling) {
  fake_.Script({{.break_at_message = 12, .store_before_break = true}});
  auto spool = MakeSpool();
  const fs::path path = spool->path();
  Declare(*spool);
  Fill(*spool, 1, 20);
  {
    // The agent dies while the server is away, with half of it stored.
    SenderOptions options = Options();
    options.min_backoff = std::chrono::minutes(10);
    options.max_backoff = std::chrono::minutes(10);
    const Sender sender(options, *spool);
    while (sender.state().last_error.ok()) std::this_thread::yield();
  }
  spool.reset();
  EXPECT_FALSE(fake_.OnlyRun().outcome.has_value());
  spool = *Spool::Recover(path, {.directory = directory_.path()});
  spool->End(MakeEnd());
  const Sender sender(Options(), *spool);
  EXPECT_EQ(Await(sender).delivery, Delivery::kDelivered);
  ExpectAll(20);
}

class RefusalTest : public SenderTest, public ::testing::WithParamInterface<int> {};

TEST_P(RefusalTest, StopsAndKeepsTheSpool) {
  fake_.Script({{.refuse_hello_with = GetParam()}});
  const auto spool = MakeSpool();
  Declare(*spool);
  Fill(*spool, 1, 3);
  const Sender sender(Options(), *spool);
  const SenderState state = Await(sender);
  EXPECT_EQ(state.delivery, Delivery::kRefused);
  EXPECT_EQ(state.last_error.message(), "refused by the script");
  EXPECT_EQ(fake_.stream_count(), 1) << "it must not be tried again";
  EXPECT_TRUE(fs::exists(spool->path()));
}

// The codes of google.rpc.Code that the service names as final: INVALID_ARGUMENT, ALREADY_EXISTS,
// PERMISSION_DENIED, FAILED_PRECONDITION, UNAUTHENTICATED.
INSTANTIATE_TEST_SUITE_P(Codes, RefusalTest, ::testing::Values(3, 6, 7, 9, 16));

class RetryTest : public SenderTest, public ::testing::WithParamInterface<int> {};

TEST_P(RetryTest, TriesAgain) {
  fake_.Script({{.refuse_hello_with = GetParam()}, {.refuse_hello_with = GetParam()}});
  const auto spool = MakeSpool();
  Declare(*spool);
  Fill(*spool, 1, 3);
  spool->End(MakeEnd());
  const Sender sender(Options(), *spool);
  EXPECT_EQ(Await(sender).delivery, Delivery::kDelivered);
  EXPECT_EQ(fake_.stream_count(), 3);
  ExpectAll(3);
}

// RESOURCE_EXHAUSTED, ABORTED, OUT_OF_RANGE, UNAVAILABLE.
INSTANTIATE_TEST_SUITE_P(Codes, RetryTest, ::testing::Values(8, 10, 11, kUnavailable));

TEST_F(SenderTest, ARunThatTheServerEndedWhileItWentOnIsRefused) {
  fake_.Script({{.answer_already_ended = true}});
  const auto spool = MakeSpool();
  Declare(*spool);
  const Sender sender(Options(), *spool);
  EXPECT_EQ(Await(sender).delivery, Delivery::kRefused);
}

TEST_F(SenderTest, BreaksOffAtOnceWhenItIsNoLongerWanted) {
  fake_.set_ack_every(1'000'000);
  const auto spool = MakeSpool();
  Declare(*spool);
  Fill(*spool, 1, 3);
  const Sender sender(Options(), *spool);
  while (!sender.state().connected) std::this_thread::yield();
}  // Its end here must not wait for an answer.

TEST_F(SenderTest, AStreamThatComesUpAndStoresNothingDoesNotResetTheBackOff) {
  // Ten streams that break at the first message behind Hello, before anything is acknowledged.
  fake_.Script(std::vector<StreamScript>(10, StreamScript{.break_at_message = 2}));
  const auto spool = MakeSpool();
  Declare(*spool);
  Fill(*spool, 1, 1);
  spool->End(MakeEnd());
  SenderOptions options = Options();
  options.max_backoff = std::chrono::hours(1);
  const auto begin = std::chrono::steady_clock::now();
  const Sender sender(options, *spool);
  EXPECT_EQ(Await(sender).delivery, Delivery::kDelivered);
  // Waits of 1, 2, 4, ... 512 ms, each by chance as short as half of it.
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(511));
  EXPECT_EQ(fake_.stream_count(), 11);
  ExpectAll(1);
}

}  // namespace
}  // namespace regressd::agent
