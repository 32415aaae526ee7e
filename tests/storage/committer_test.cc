#include "storage/committer_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "storage/run_store.h"
#include "tests/support/ingest_builders.h"
#include "tests/support/intercepted_store.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_store.h"
#include "tests/support/recording_sink.h"

namespace regressd::storage {
namespace {

using std::chrono::milliseconds;
using test::EncodedSamples;
using test::IntSource;
using test::OutcomeOf;
using test::RecordingSink;
using test::RunSpecOf;
using Batches = test::InterceptedFactory::Batches;

constexpr StoreLink::Backoff kQuick{milliseconds(1), milliseconds(4)};

/// A stream with its run open and source 1 of two metrics declared.
struct OpenStream {
  std::int64_t run_id = 0;
  std::int64_t epoch = 0;
  std::shared_ptr<RecordingSink> sink = std::make_shared<RecordingSink>();
  std::shared_ptr<IngestStream> stream;

  bool Send(std::int64_t seq) { return stream->Commit(EncodedSamples(run_id, 1, epoch, seq)); }
};

class RefusalCounter : public CommitObserver {
 public:
  void OnWritesRefused(const absl::Status&) override { ++refused_count_; }
  int refused_count() const { return refused_count_; }

 private:
  std::atomic<int> refused_count_ = 0;
};

class CommitterTest : public testing::Test {
 protected:
  std::unique_ptr<CommitterPool> NewPool(int committer_count = 1) {
    return std::make_unique<CommitterPool>(
        factory_, observer_,
        CommitterPool::Options{
            .committer_count = committer_count, .limits = limits_, .backoff = kQuick});
  }

  static OpenStream Open(CommitterPool& pool, int number) {
    OpenStream open;
    open.run_id = RunSpecOf(number).key.run_id;
    open.stream = pool.NewStream(open.run_id, open.sink);
    EXPECT_TRUE(open.stream->Open(RunSpecOf(number), "tester"));
    const auto opened = open.sink->AwaitOpened();
    if (!opened) {
      ADD_FAILURE() << open.sink->AwaitFailed();
      return open;
    }
    open.epoch = opened->epoch;
    EXPECT_TRUE(open.stream->Declare(open.run_id, open.epoch, IntSource(1, "m", 2)));
    EXPECT_TRUE(open.sink->AwaitDeclared(1).has_value());
    return open;
  }

  /// Samples that the store has of the run's first metric.
  std::vector<std::int64_t> StoredSeqs(int number) {
    std::vector<std::int64_t> seqs;
    const absl::Status read =
        memory_.ReadSamples(RunSpecOf(number).key.run_id, std::vector<std::string>{"m.a"},
                            TimeRange{}, [&](const SamplePart& part) {
                              for (const Sample& sample : part.samples) seqs.push_back(sample.seq);
                              return absl::OkStatus();
                            });
    EXPECT_TRUE(read.ok()) << read;
    return seqs;
  }

  static std::vector<std::int64_t> UpTo(std::int64_t last) {
    std::vector<std::int64_t> seqs;
    for (std::int64_t seq = 1; seq <= last; ++seq) seqs.push_back(seq);
    return seqs;
  }

  test::ManualClock clock_;
  test::MemoryStore memory_{clock_};
  test::InterceptedFactory factory_{memory_};
  RefusalCounter observer_;
  CommitQueue::Limits limits_;
};

TEST_F(CommitterTest, StoresWhatAStreamSendsAndEndsItsRun) {
  const auto pool = NewPool(2);
  OpenStream open = Open(*pool, 1);
  for (std::int64_t seq = 1; seq <= 10; ++seq) EXPECT_TRUE(open.Send(seq));
  EXPECT_TRUE(open.stream->End(open.run_id, open.epoch, OutcomeOf(0)));
  EXPECT_EQ(open.sink->AwaitEnded(), model::RunState::kComplete);
  EXPECT_EQ(open.sink->stored(1), 10);
  EXPECT_EQ(StoredSeqs(1), UpTo(10));
}

TEST_F(CommitterTest, WhatGathersDuringACommitIsTheNextGroup) {
  std::promise<void> first_commit_began, release;
  std::atomic<int> commit_count = 0;
  std::atomic<std::size_t> second_size = 0;
  factory_.before_commit = [&](Batches batches) {
    if (++commit_count == 1) {
      first_commit_began.set_value();
      release.get_future().wait();
    } else {
      second_size = batches.size();
    }
    return absl::OkStatus();
  };
  const auto pool = NewPool();
  std::vector<OpenStream> streams;
  for (int number = 1; number <= 20; ++number) streams.push_back(Open(*pool, number));
  streams[0].Send(1);
  first_commit_began.get_future().wait();
  for (OpenStream& open : streams) {
    const std::int64_t first = &open == &streams[0] ? 2 : 1;
    for (std::int64_t seq = first; seq < first + 5; ++seq) open.Send(seq);
    EXPECT_EQ(open.sink->stored(1), 0);  // Nothing is told before its commit.
  }
  release.set_value();
  for (OpenStream& open : streams) EXPECT_GE(open.sink->AwaitStored(1, 5), 5);
  EXPECT_EQ(streams[0].sink->AwaitStored(1, 6), 6);
  EXPECT_EQ(commit_count, 2);
  EXPECT_EQ(second_size, 100U);
}

TEST_F(CommitterTest, AFencedStreamEndsAndTheRestOfItsGroupGoesOn) {
  const auto pool = NewPool();
  OpenStream old_stream = Open(*pool, 1);
  OpenStream other = Open(*pool, 2);
  // A second server opens the run: this pool hears of it from the cursors alone.
  auto elsewhere = memory_.Connect();
  ASSERT_TRUE((*elsewhere)->OpenRun(RunSpecOf(1), "tester").ok());
  old_stream.Send(1);
  other.Send(1);
  EXPECT_EQ(old_stream.sink->AwaitFailed().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(other.sink->AwaitStored(1, 1), 1);
  EXPECT_EQ(old_stream.sink->stored(1), 0);
  EXPECT_EQ(StoredSeqs(2), UpTo(1));
}

TEST_F(CommitterTest, ACommitInDoubtIsNeitherLostNorDoubled) {
  std::atomic<int> lost_answers = 0;
  factory_.after_commit = [&](Batches) {
    return ++lost_answers <= 3 ? absl::UnavailableError("connection reset") : absl::OkStatus();
  };
  const auto pool = NewPool();
  OpenStream open = Open(*pool, 1);
  for (std::int64_t seq = 1; seq <= 100; ++seq) open.Send(seq);
  EXPECT_EQ(open.sink->AwaitStored(1, 100), 100);
  EXPECT_EQ(StoredSeqs(1), UpTo(100));
  EXPECT_FALSE(open.sink->went_back());
}

TEST_F(CommitterTest, ABatchThatTheStoreRefusesEndsItsStreamAlone) {
  const std::int64_t poisoned = RunSpecOf(7).key.run_id;
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  factory_.before_commit = [&](Batches batches) {
    released.wait();
    for (const EncodedBatch& batch : batches) {
      if (batch.run_id == poisoned && batch.first_seq == 3) {
        return absl::InvalidArgumentError("no such day");
      }
    }
    return absl::OkStatus();
  };
  const auto pool = NewPool();
  std::vector<OpenStream> streams;
  for (int number = 1; number <= 12; ++number) streams.push_back(Open(*pool, number));
  for (std::int64_t seq = 1; seq <= 5; ++seq) {
    for (OpenStream& open : streams) open.Send(seq);
  }
  release.set_value();
  for (OpenStream& open : streams) {
    if (open.run_id == poisoned) {
      const absl::Status failure = open.sink->AwaitFailed();
      EXPECT_EQ(failure.code(), absl::StatusCode::kInvalidArgument);
      EXPECT_NE(failure.message().find("source 1, numbers 3 to 3"), std::string::npos) << failure;
      EXPECT_EQ(open.sink->stored(1), 2);
    } else {
      EXPECT_EQ(open.sink->AwaitStored(1, 5), 5);
    }
  }
  EXPECT_EQ(StoredSeqs(7), UpTo(2));
}

TEST_F(CommitterTest, AConflictThatTheCursorsDoNotExplainEndsOnlyItsStream) {
  const std::int64_t odd = RunSpecOf(1).key.run_id;
  factory_.before_commit = [&](Batches batches) {
    for (const EncodedBatch& batch : batches) {
      if (batch.run_id == odd) return absl::AbortedError("duplicate key");
    }
    return absl::OkStatus();
  };
  const auto pool = NewPool();
  OpenStream open = Open(*pool, 1);
  OpenStream other = Open(*pool, 2);
  open.Send(1);
  other.Send(1);
  EXPECT_EQ(open.sink->AwaitFailed().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(other.sink->AwaitStored(1, 1), 1);
}

TEST_F(CommitterTest, AFullQueueParksAStreamUntilItIsHalfEmpty) {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  factory_.before_commit = [&](Batches) {
    released.wait();
    return absl::OkStatus();
  };
  constexpr std::int64_t kSamples = 100;
  limits_.max_bytes = 4 * EncodedSamples(1, 1, 1, 1, kSamples).size_bytes();
  const auto pool = NewPool();
  OpenStream open = Open(*pool, 1);
  EXPECT_FALSE(open.stream->ParkIfFull());
  for (std::int64_t i = 0; i < 4; ++i) {
    open.stream->Commit(EncodedSamples(open.run_id, 1, open.epoch, 1 + i * kSamples, kSamples));
  }
  EXPECT_TRUE(open.stream->ParkIfFull());
  EXPECT_EQ(open.sink->room_count(), 0);
  release.set_value();
  open.sink->AwaitRoom();
  EXPECT_EQ(open.sink->AwaitStored(1, 4 * kSamples), 4 * kSamples);
}

TEST_F(CommitterTest, WhileTheStoreIsAwayBatchesWaitAndNewRunsAreSentAway) {
  std::atomic<bool> away = false;
  factory_.before_connect = [&] {
    return away ? absl::UnavailableError("connection refused") : absl::OkStatus();
  };
  factory_.before_commit = [&](Batches) {
    return away ? absl::UnavailableError("connection reset") : absl::OkStatus();
  };
  const auto pool = NewPool();
  OpenStream open = Open(*pool, 1);
  away = true;
  for (std::int64_t seq = 1; seq <= 3; ++seq) open.Send(seq);
  const auto newcomer = std::make_shared<RecordingSink>();
  const auto stream = pool->NewStream(RunSpecOf(2).key.run_id, newcomer);
  EXPECT_TRUE(stream->Open(RunSpecOf(2), "tester"));
  EXPECT_EQ(newcomer->AwaitFailed().code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(open.sink->failed());
  EXPECT_EQ(open.sink->stored(1), 0);
  away = false;
  EXPECT_EQ(open.sink->AwaitStored(1, 3), 3);
}

TEST_F(CommitterTest, AStoreWithoutRoomSendsEverybodyAwayAndLosesNothing) {
  std::atomic<bool> full = false;
  const auto refuse = [&] {
    return full ? absl::ResourceExhaustedError("could not extend file \"base/1\"")
                : absl::OkStatus();
  };
  factory_.before_commit = [&](Batches) { return refuse(); };
  factory_.before_open = refuse;
  factory_.before_end = refuse;
  const auto pool = NewPool();
  OpenStream sends = Open(*pool, 1);
  OpenStream ends = Open(*pool, 2);
  EXPECT_TRUE(sends.Send(1));
  EXPECT_EQ(sends.sink->AwaitStored(1, 1), 1);
  full = true;
  EXPECT_TRUE(sends.Send(2));
  EXPECT_TRUE(ends.stream->End(ends.run_id, ends.epoch, OutcomeOf(0)));
  const auto newcomer = std::make_shared<RecordingSink>();
  const auto stream = pool->NewStream(RunSpecOf(3).key.run_id, newcomer);
  EXPECT_TRUE(stream->Open(RunSpecOf(3), "tester"));
  for (const auto& sink : {sends.sink, ends.sink, newcomer}) {
    const absl::Status failed = sink->AwaitFailed();
    EXPECT_EQ(failed.code(), absl::StatusCode::kUnavailable) << failed;
    EXPECT_NE(failed.message().find("could not extend file"), std::string::npos) << failed;
  }
  EXPECT_EQ(observer_.refused_count(), 3);
  full = false;
  OpenStream again = Open(*pool, 1);
  EXPECT_TRUE(again.Send(2));
  EXPECT_EQ(again.sink->AwaitStored(1, 2), 2);
}

TEST_F(CommitterTest, AConnectionThatBrokeWhileIdleDoesNotTurnAwayARun) {
  std::atomic<int> open_count = 0;
  factory_.before_open = [&] {
    return ++open_count == 2 ? absl::UnavailableError("server closed the connection")
                             : absl::OkStatus();
  };
  const auto pool = NewPool();
  Open(*pool, 1);
  const OpenStream second = Open(*pool, 2);
  EXPECT_EQ(second.epoch, 1);
}

TEST_F(CommitterTest, AnEndSurvivesALostConnection) {
  std::atomic<int> end_count = 0;
  factory_.before_end = [&] {
    return ++end_count <= 3 ? absl::UnavailableError("connection reset") : absl::OkStatus();
  };
  const auto pool = NewPool();
  OpenStream open = Open(*pool, 1);
  open.Send(1);
  EXPECT_TRUE(open.stream->End(open.run_id, open.epoch, OutcomeOf(3)));
  EXPECT_EQ(open.sink->AwaitEnded(), model::RunState::kFailed);
}

TEST_F(CommitterTest, DrainStoresWhatIsQueuedAndTakesNothingMore) {
  const auto pool = NewPool(2);
  std::vector<OpenStream> streams;
  for (int number = 1; number <= 8; ++number) streams.push_back(Open(*pool, number));
  for (std::int64_t seq = 1; seq <= 50; ++seq) {
    for (OpenStream& open : streams) open.Send(seq);
  }
  streams[0].stream->End(streams[0].run_id, streams[0].epoch, OutcomeOf(0));
  pool->Drain(std::chrono::minutes(10));
  for (OpenStream& open : streams) {
    EXPECT_EQ(open.sink->stored(1), 50);
    EXPECT_FALSE(open.Send(51));
  }
  EXPECT_EQ(streams[0].sink->AwaitEnded(), model::RunState::kComplete);
}

TEST_F(CommitterTest, DrainGivesUpOnAStoreThatStaysAway) {
  std::atomic<bool> away = false;
  factory_.before_connect = [&] {
    return away ? absl::UnavailableError("connection refused") : absl::OkStatus();
  };
  factory_.before_commit = [&](Batches) {
    return away ? absl::UnavailableError("connection reset") : absl::OkStatus();
  };
  const auto pool = NewPool();
  OpenStream open = Open(*pool, 1);
  away = true;
  open.Send(1);
  pool->Drain(milliseconds(20));
  EXPECT_EQ(open.sink->AwaitFailed().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(open.sink->stored(1), 0);
}

TEST_F(CommitterTest, WhatAVanishedStreamSentIsStoredAllTheSame) {
  const auto pool = NewPool();
  OpenStream open = Open(*pool, 1);
  for (std::int64_t seq = 1; seq <= 3; ++seq) open.Send(seq);
  open.sink.reset();
  open.stream.reset();
  pool->Drain(std::chrono::minutes(10));
  EXPECT_EQ(StoredSeqs(1), UpTo(3));
}

TEST_F(CommitterTest, ManyThreadsThroughAnUnreliableStoreLoseAndDoubleNothing) {
  constexpr int kStreams = 8;
  static constexpr std::int64_t kBatches = 200;
  std::mutex mutex;
  std::mt19937 random(42);
  const auto maybe_fail = [&](Batches) {
    const std::lock_guard lock(mutex);
    return random() % 8 == 0 ? absl::UnavailableError("flaky") : absl::OkStatus();
  };
  factory_.before_commit = maybe_fail;
  factory_.after_commit = maybe_fail;
  const auto pool = NewPool(2);
  std::vector<std::jthread> agents;
  for (int number = 1; number <= kStreams; ++number) {
    agents.emplace_back([&pool, number] {
      OpenStream open = Open(*pool, number);
      for (std::int64_t seq = 1; seq <= kBatches; ++seq) EXPECT_TRUE(open.Send(seq));
      EXPECT_TRUE(open.stream->End(open.run_id, open.epoch, OutcomeOf(0)));
      EXPECT_EQ(open.sink->AwaitEnded(), model::RunState::kComplete);
      EXPECT_EQ(open.sink->stored(1), kBatches);
      EXPECT_FALSE(open.sink->went_back());
    });
  }
  agents.clear();
  for (int number = 1; number <= kStreams; ++number) EXPECT_EQ(StoredSeqs(number), UpTo(kBatches));
}

}  // namespace
}  // namespace regressd::storage
