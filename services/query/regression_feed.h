#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/regression_store.h"

namespace regressd::query {

/// Tells watchers of every change of a regression. One thread of its own asks the store for its
/// last event while somebody watches, so hundreds of idle watchers cost one small statement a poll;
/// watchers read what is new themselves. An outage of the store delays changes and loses none.
/// Thread-safe; must outlive its watches.
class RegressionFeed {
 public:
  struct Options {
    std::chrono::milliseconds poll_interval{200};
    int max_watches = 64;
  };

  /// One watcher. One thread.
  class Watch {
   public:
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    /// The next changes in order, at most some hundred; empty when there are none within
    /// `patience`. Errors: Unavailable once the feed was stopped; what the store says beside
    /// Unavailable.
    absl::StatusOr<std::vector<storage::ListedChange>> Next(std::chrono::milliseconds patience);

   private:
    friend class RegressionFeed;
    explicit Watch(RegressionFeed& feed) : feed_(feed) {}

    RegressionFeed& feed_;
    std::int64_t last_event_id_ = 0;  ///< Everything up to it was given.
  };

  /// Starts the thread.
  explicit RegressionFeed(storage::RegressionStore& store) : RegressionFeed(store, Options()) {}
  RegressionFeed(storage::RegressionStore& store, Options options);
  ~RegressionFeed();
  RegressionFeed(const RegressionFeed&) = delete;
  RegressionFeed& operator=(const RegressionFeed&) = delete;

  /// Watches what comes after `after_event_id`, 0: every event there is; unset: from now on. Once
  /// it returned, no later change is missed. Errors: ResourceExhausted when too many watch;
  /// Unavailable when stopped or when the store cannot be reached now.
  absl::StatusOr<std::unique_ptr<Watch>> Open(std::optional<std::int64_t> after_event_id);

  /// Ends every watch with Unavailable and takes no more, for draining. Idempotent; does not wait
  /// for watchers.
  void Stop();

 private:
  void Run();
  /// Takes the outcome of a poll. Called with mutex_ held.
  void Note(const absl::StatusOr<std::int64_t>& last_event_id);
  absl::StatusOr<std::vector<storage::ListedChange>> Read(std::int64_t seen_event_id,
                                                          std::int64_t* last_event_id);
  void Leave();

  storage::RegressionStore& store_;
  const Options options_;

  std::mutex mutex_;
  std::condition_variable work_;  ///< Wakes the thread: a first watcher, or Stop.
  std::condition_variable news_;  ///< Wakes watchers: an event, or Stop.
  int watch_count_ = 0;           ///< Guarded by mutex_, as the rest.
  bool stopped_ = false;
  bool reachable_ = true;           ///< The last statement to the store succeeded.
  std::int64_t last_event_id_ = 0;  ///< The store's, as far as is known.

  std::thread thread_;  ///< Last: it uses the others.
};

}  // namespace regressd::query
