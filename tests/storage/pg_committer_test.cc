#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "storage/committer_pool.h"
#include "storage/connection_pool.h"
#include "storage/embedded_postgres.h"
#include "storage/migrator.h"
#include "storage/pg_ingest_store.h"
#include "storage/pqxx_compat.h"
#include "tests/support/ingest_builders.h"
#include "tests/support/recording_sink.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_database.h"

namespace regressd::storage {
namespace {

using std::chrono::milliseconds;
using test::EncodedSamples;
using test::IntSource;
using test::OutcomeOf;
using test::RecordingSink;
using test::RunSpecOf;

constexpr StoreLink::Backoff kQuick{milliseconds(5), milliseconds(50)};

struct OpenStream {
  std::int64_t run_id = 0;
  std::int64_t epoch = 0;
  std::shared_ptr<RecordingSink> sink = std::make_shared<RecordingSink>();
  std::shared_ptr<IngestStream> stream;

  bool Send(std::int64_t seq) { return stream->Commit(EncodedSamples(run_id, 1, epoch, seq)); }
};

OpenStream Open(CommitterPool& pool, int number) {
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

/// How many rows a run has and its highest number; a hole or a double makes them differ.
struct Stored {
  std::int64_t row_count = 0;
  std::int64_t last_seq = 0;
  std::int64_t cursor = 0;
};

std::map<std::int64_t, Stored> ReadStored(const std::string& conninfo) {
  std::map<std::int64_t, Stored> stored;
  auto connection = Connect(conninfo);
  if (!connection.ok()) {
    ADD_FAILURE() << connection.status();
    return stored;
  }
  const absl::Status read = InTransaction(**connection, [&](pqxx::work& transaction) {
    for (const auto& row : ExecScript(transaction,
                                      "SELECT c.run_id, count(r.seq), coalesce(max(r.seq), 0), "
                                      "max(c.last_seq) FROM ingest_cursor c LEFT JOIN sample_row r "
                                      "USING (run_id, source_id) GROUP BY c.run_id")) {
      stored[Get<std::int64_t>(row[0])] = {Get<std::int64_t>(row[1]), Get<std::int64_t>(row[2]),
                                           Get<std::int64_t>(row[3])};
    }
    return absl::OkStatus();
  });
  EXPECT_TRUE(read.ok()) << read;
  return stored;
}

class PgCommitterTest : public ::testing::Test {
 protected:
  std::unique_ptr<CommitterPool> NewPool(PgIngestStoreFactory& factory, int committer_count = 2) {
    return std::make_unique<CommitterPool>(
        factory, observer_,
        CommitterPool::Options{
            .committer_count = committer_count, .limits = {}, .backoff = kQuick});
  }

  CommitObserver observer_;
};

TEST_F(PgCommitterTest, AGroupOfManyRunsIsStoredAndEachRunEnds) {
  const regressd::testing::TestDatabase database;
  PgIngestStoreFactory factory({.conninfo = database.conninfo()});
  const auto pool = NewPool(factory);
  std::vector<OpenStream> streams;
  for (int number = 1; number <= 30; ++number) streams.push_back(Open(*pool, number));
  for (std::int64_t seq = 1; seq <= 20; ++seq) {
    for (OpenStream& open : streams) EXPECT_TRUE(open.Send(seq));
  }
  for (OpenStream& open : streams) open.stream->End(open.run_id, open.epoch, OutcomeOf(0));
  for (OpenStream& open : streams) {
    EXPECT_EQ(open.sink->AwaitEnded(), model::RunState::kComplete);
    EXPECT_EQ(open.sink->stored(1), 20);
  }
  const auto stored = ReadStored(database.conninfo());
  EXPECT_EQ(stored.size(), 30U);
  for (const auto& [run_id, run] : stored) EXPECT_EQ(run.row_count, 20);
}

TEST_F(PgCommitterTest, ConnectionsThatAreKilledInTheMiddleCostNothing) {
  constexpr std::int64_t kBatches = 600;
  const regressd::testing::TestDatabase database;
  PgIngestStoreFactory factory({.conninfo = database.conninfo()});
  const auto pool = NewPool(factory);
  std::vector<OpenStream> streams;
  for (int number = 1; number <= 6; ++number) streams.push_back(Open(*pool, number));
  std::vector<std::jthread> agents;
  for (OpenStream& open : streams) {
    agents.emplace_back([&open] {
      // A window of 32, as an agent has: so that commits go on while connections are killed.
      for (std::int64_t seq = 1; seq <= kBatches; ++seq) {
        EXPECT_TRUE(open.Send(seq));
        open.sink->AwaitStored(1, seq - 32);
      }
    });
  }
  auto connection = Connect(database.conninfo());
  ASSERT_TRUE(connection.ok()) << connection.status();
  for (std::int64_t progress = 50; progress < kBatches; progress += 50) {
    streams[0].sink->AwaitStored(1, progress);
    const absl::Status killed = InTransaction(**connection, [&](pqxx::work& transaction) {
      ExecScript(transaction,
                 "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                 "WHERE datname = current_database() AND pid <> pg_backend_pid()");
      return absl::OkStatus();
    });
    EXPECT_TRUE(killed.ok()) << killed;
  }
  for (OpenStream& open : streams) {
    EXPECT_EQ(open.sink->AwaitStored(1, kBatches), kBatches);
    EXPECT_FALSE(open.sink->went_back());
  }
  for (const auto& [run_id, run] : ReadStored(database.conninfo())) {
    EXPECT_EQ(run.row_count, kBatches);
    EXPECT_EQ(run.last_seq, kBatches);
    EXPECT_EQ(run.cursor, kBatches);
  }
}

TEST_F(PgCommitterTest, TwoServersThatTakeTheSameRunFromEachOtherStoreItOnce) {
  constexpr std::int64_t kBatches = 200;
  const regressd::testing::TestDatabase database;
  PgIngestStoreFactory factory({.conninfo = database.conninfo()});
  const std::vector<std::unique_ptr<CommitterPool>> pools = [&] {
    std::vector<std::unique_ptr<CommitterPool>> made;
    for (int i = 0; i < 2; ++i) made.push_back(NewPool(factory, 1));
    return made;
  }();
  // Each agent fences the other, sends until it is fenced, and resumes where the store stands.
  std::vector<std::jthread> agents;
  for (const auto& pool : pools) {
    agents.emplace_back([&pool] {
      for (std::int64_t last = 0; last < kBatches;) {
        const auto sink = std::make_shared<RecordingSink>();
        const model::RunSpec spec = RunSpecOf(1);
        const auto stream = pool->NewStream(spec.key.run_id, sink);
        ASSERT_TRUE(stream->Open(spec, "tester"));
        const auto opened = sink->AwaitOpened();
        ASSERT_TRUE(opened.has_value());
        ASSERT_TRUE(stream->Declare(spec.key.run_id, opened->epoch, IntSource(1, "m", 2)));
        const auto declared = sink->AwaitDeclared(1);
        if (!declared) {
          EXPECT_EQ(sink->AwaitFailed().code(), absl::StatusCode::kAborted);
          continue;
        }
        last = *declared;
        while (last < kBatches && !sink->failed()) {
          stream->Commit(EncodedSamples(spec.key.run_id, 1, opened->epoch, last + 1));
          if (sink->AwaitStored(1, last + 1) > last) ++last;
        }
        if (sink->failed()) {
          EXPECT_EQ(sink->AwaitFailed().code(), absl::StatusCode::kAborted);
        }
      }
    });
  }
  agents.clear();
  const auto stored = ReadStored(database.conninfo());
  ASSERT_EQ(stored.size(), 1U);
  EXPECT_EQ(stored.begin()->second.row_count, kBatches);
  EXPECT_EQ(stored.begin()->second.cursor, kBatches);
}

/// A cluster that flushes, since it is to crash.
class CrashTest : public PgCommitterTest {
 protected:
  CrashTest() {
    EmbeddedPostgres::Options options;
    options.data_dir = directory_.path() / "cluster";
    auto started = EmbeddedPostgres::Start(std::move(options));
    if (!started.ok()) {
      ADD_FAILURE() << started.status();
      return;
    }
    server_ = *std::move(started);
    auto connection = Connect(server_->conninfo());
    EXPECT_TRUE(connection.ok()) << connection.status();
    const auto migrated = Migrate(**connection, EmbeddedMigrations());
    EXPECT_TRUE(migrated.ok()) << migrated.status();
  }

  /// As `pg_ctl stop -m immediate`; whoever owns the cluster starts it again, with recovery.
  void Crash() {
    const pid_t postmaster = server_->postmaster_pid();
    ASSERT_GT(postmaster, 0);
    returned_ = std::promise<void>();
    server_->Listen([this, went = false](bool serving) mutable {
      if (serving && went) returned_.set_value();
      went = !serving;
    });
    ASSERT_EQ(kill(postmaster, SIGQUIT), 0);
  }

  void AwaitReturn() {
    returned_.get_future().wait();
    server_->Listen({});
  }

  regressd::testing::TemporaryDirectory directory_;
  std::promise<void> returned_;
  std::unique_ptr<EmbeddedPostgres> server_;
};

TEST_F(CrashTest, ACrashUnderLoadLosesNoAcknowledgedBatchAndDoublesNone) {
  constexpr int kStreams = 8;
  constexpr std::int64_t kBatches = 1500;
  ASSERT_NE(server_, nullptr);
  PgIngestStoreFactory factory({.conninfo = server_->conninfo()});
  const auto pool = NewPool(factory);
  std::vector<OpenStream> streams;
  for (int number = 1; number <= kStreams; ++number) streams.push_back(Open(*pool, number));
  std::vector<std::jthread> agents;
  for (OpenStream& open : streams) {
    agents.emplace_back([&open] {
      for (std::int64_t seq = 1; seq <= kBatches; ++seq) {
        EXPECT_TRUE(open.Send(seq));
        open.sink->AwaitStored(1, seq - 64);
      }
    });
  }
  for (const std::int64_t progress : {200, 600, 1000}) {
    streams[0].sink->AwaitStored(1, progress);
    Crash();
    std::map<std::int64_t, std::int64_t> acknowledged;
    for (OpenStream& open : streams) acknowledged[open.run_id] = open.sink->stored(1);
    AwaitReturn();
    // The committers come back by themselves.
    streams[0].sink->AwaitStored(1, progress + 100);
    for (const auto& [run_id, run] : ReadStored(server_->conninfo())) {
      EXPECT_GE(run.cursor, acknowledged[run_id]);
      EXPECT_EQ(run.row_count, run.last_seq) << "a hole or a double below " << run.last_seq;
      EXPECT_EQ(run.cursor, run.last_seq);
    }
  }
  for (OpenStream& open : streams) {
    EXPECT_EQ(open.sink->AwaitStored(1, kBatches), kBatches);
    EXPECT_FALSE(open.sink->failed());
  }
  for (const auto& [run_id, run] : ReadStored(server_->conninfo())) {
    EXPECT_EQ(run.row_count, kBatches);
    EXPECT_EQ(run.cursor, kBatches);
  }
}

}  // namespace
}  // namespace regressd::storage
