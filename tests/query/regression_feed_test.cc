#include "services/query/regression_feed.h"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "tests/query/fake_events.h"

namespace regressd::query {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPatience{20};
constexpr RegressionFeed::Options kFast{.poll_interval = milliseconds(1), .max_watches = 8};

// The ids of the next `count` events, however many reads that takes.
std::vector<std::int64_t> NextIds(RegressionFeed::Watch& watch, std::size_t count) {
  std::vector<std::int64_t> ids;
  while (ids.size() < count) {
    const auto changes = watch.Next(kPatience);
    if (!changes.ok()) break;
    for (const auto& change : *changes) ids.push_back(change.position);
  }
  return ids;
}

std::vector<std::int64_t> Count(std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> ids;
  for (std::int64_t id = first; id <= last; ++id) ids.push_back(id);
  return ids;
}

TEST(RegressionFeedTest, AWatchHearsWhatComesAfterItWasOpened) {
  test::FakeEvents events;
  events.Add(3);
  RegressionFeed feed(events, kFast);
  const auto watch = feed.Open(std::nullopt);
  ASSERT_TRUE(watch.ok()) << watch.status();
  EXPECT_TRUE((*watch)->Next(kPatience)->empty());
  events.Add(2);
  EXPECT_EQ(NextIds(**watch, 2), Count(4, 5));
}

TEST(RegressionFeedTest, AWatchGoesOnAfterAnEventAndReadsALongBacklogInParts) {
  test::FakeEvents events;
  events.Add(1000);
  RegressionFeed feed(events, kFast);
  const auto watch = feed.Open(1);
  ASSERT_TRUE(watch.ok());
  EXPECT_EQ(NextIds(**watch, 999), Count(2, 1000));
}

TEST(RegressionFeedTest, AWatchAfterEventZeroHearsEveryEventThereIs) {
  test::FakeEvents events;
  events.Add(3);
  RegressionFeed feed(events, kFast);
  const auto watch = feed.Open(0);
  ASSERT_TRUE(watch.ok());
  EXPECT_EQ(NextIds(**watch, 3), Count(1, 3));
}

TEST(RegressionFeedTest, NobodyWatchingMeansNoStatements) {
  test::FakeEvents events;
  RegressionFeed feed(events, kFast);
  { const auto watch = feed.Open(std::nullopt); }
  // The thread may be in its last poll; after one more it is known to sleep.
  EXPECT_TRUE(events.StopsBeingAsked());
}

TEST(RegressionFeedTest, AnOutageDelaysChangesAndLosesNone) {
  test::FakeEvents events;
  RegressionFeed feed(events, kFast);
  const auto watch = feed.Open(std::nullopt);
  ASSERT_TRUE(watch.ok());
  events.FailWith(absl::UnavailableError("away"));
  events.Add(5);
  EXPECT_TRUE((*watch)->Next(kPatience)->empty());
  EXPECT_EQ(feed.Open(std::nullopt).status().code(), absl::StatusCode::kUnavailable);
  events.FailWith(absl::OkStatus());
  EXPECT_EQ(NextIds(**watch, 5), Count(1, 5));
}

TEST(RegressionFeedTest, EventsThatVanishedAreNotWaitedFor) {
  test::FakeEvents events;
  RegressionFeed feed(events, kFast);
  const auto watch = feed.Open(std::nullopt);
  ASSERT_TRUE(watch.ok());
  events.Add(2);
  events.Forget();
  while (events.read_count() == 0) EXPECT_TRUE((*watch)->Next(kPatience)->empty());
  events.Add(1);
  EXPECT_EQ(NextIds(**watch, 1), Count(3, 3));
}

TEST(RegressionFeedTest, AClosedWatchMakesRoomForAnother) {
  test::FakeEvents events;
  RegressionFeed feed(events, {.poll_interval = milliseconds(1), .max_watches = 1});
  auto first = feed.Open(std::nullopt);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(feed.Open(std::nullopt).status().code(), absl::StatusCode::kResourceExhausted);
  first->reset();
  EXPECT_TRUE(feed.Open(std::nullopt).ok());
}

TEST(RegressionFeedTest, StoppingWakesAWaitingWatchAndTakesNoMore) {
  test::FakeEvents events;
  RegressionFeed feed(events, kFast);
  const auto watch = feed.Open(std::nullopt);
  ASSERT_TRUE(watch.ok());
  std::thread stopping([&] { feed.Stop(); });
  absl::Status status;
  while (status.ok()) status = (*watch)->Next(std::chrono::hours(1)).status();
  stopping.join();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(feed.Open(std::nullopt).status().code(), absl::StatusCode::kUnavailable);
}

TEST(RegressionFeedTest, ManyWatchesFromManyThreadsHearEveryEventInOrder) {
  constexpr int kWatchCount = 8;
  constexpr int kEventCount = 300;
  test::FakeEvents events;
  RegressionFeed feed(events, kFast);
  std::atomic<int> open_count{0};
  std::vector<std::vector<std::int64_t>> heard(kWatchCount);
  std::vector<std::thread> threads;
  for (auto& ids : heard) {
    threads.emplace_back([&] {
      const auto watch = feed.Open(std::nullopt);
      ++open_count;
      if (watch.ok()) ids = NextIds(**watch, kEventCount);
    });
  }
  while (open_count < kWatchCount) std::this_thread::yield();
  for (int i = 0; i < kEventCount; ++i) {
    if (i % 50 == 20) events.FailWith(absl::UnavailableError("away"));
    events.Add(1);
    if (i % 50 == 40) events.FailWith(absl::OkStatus());
  }
  events.FailWith(absl::OkStatus());
  for (std::thread& thread : threads) thread.join();
  for (const auto& ids : heard) EXPECT_EQ(ids, Count(1, kEventCount));
}

}  // namespace
}  // namespace regressd::query
