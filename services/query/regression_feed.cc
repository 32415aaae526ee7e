#include "services/query/regression_feed.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <string>

namespace regressd::query {
namespace {

constexpr std::int32_t kChangesPerRead = 200;

absl::Status Stopped() {
  return absl::UnavailableError("the server is draining; watch again after the last event");
}

}  // namespace

RegressionFeed::RegressionFeed(storage::RegressionStore& store, Options options)
    : store_(store), options_(options), thread_([this] { Run(); }) {}

RegressionFeed::~RegressionFeed() {
  Stop();
  thread_.join();
}

void RegressionFeed::Stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  work_.notify_all();
  news_.notify_all();
}

void RegressionFeed::Run() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (watch_count_ == 0) {
      work_.wait(lock, [this] { return stopped_ || watch_count_ > 0; });
      continue;
    }
    lock.unlock();
    const absl::StatusOr<std::int64_t> last_event_id = store_.LastEventId();
    lock.lock();
    Note(last_event_id);
    work_.wait_for(lock, options_.poll_interval, [this] { return stopped_; });
  }
}

void RegressionFeed::Note(const absl::StatusOr<std::int64_t>& last_event_id) {
  if (last_event_id.ok() != reachable_) {
    // Once an outage, not once a poll.
    if (last_event_id.ok()) {
      spdlog::info("watches of regressions go on: the store is back");
    } else {
      spdlog::warn("watches of regressions wait for the store: {}",
                   std::string(last_event_id.status().message()));
    }
  }
  reachable_ = last_event_id.ok();
  if (!reachable_) return;
  last_event_id_ = *last_event_id;
  news_.notify_all();
}

absl::StatusOr<std::unique_ptr<RegressionFeed::Watch>> RegressionFeed::Open(
    std::optional<std::int64_t> after_event_id) {
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return Stopped();
    if (watch_count_ == options_.max_watches) {
      return absl::ResourceExhaustedError(
          fmt::format("{} watch already; close a watch or try again later", watch_count_));
    }
    ++watch_count_;
    work_.notify_all();
  }
  std::unique_ptr<Watch> watch(new Watch(*this));  // Its destructor counts down again.
  const absl::StatusOr<std::int64_t> last_event_id = store_.LastEventId();
  if (!last_event_id.ok()) return last_event_id.status();
  watch->last_event_id_ = after_event_id.value_or(*last_event_id);

  const std::lock_guard lock(mutex_);
  Note(last_event_id);
  return watch;
}

RegressionFeed::Watch::~Watch() { feed_.Leave(); }

void RegressionFeed::Leave() {
  const std::lock_guard lock(mutex_);
  --watch_count_;
}

absl::StatusOr<std::vector<storage::ListedChange>> RegressionFeed::Watch::Next(
    std::chrono::milliseconds patience) {
  std::int64_t seen_event_id = 0;
  {
    std::unique_lock lock(feed_.mutex_);
    const auto has_news = [this] {
      return feed_.stopped_ || (feed_.reachable_ && feed_.last_event_id_ > last_event_id_);
    };
    const bool woken = feed_.news_.wait_for(lock, patience, has_news);
    if (feed_.stopped_) return Stopped();
    if (!woken) return std::vector<storage::ListedChange>();
    seen_event_id = feed_.last_event_id_;
  }
  return feed_.Read(seen_event_id, &last_event_id_);
}

absl::StatusOr<std::vector<storage::ListedChange>> RegressionFeed::Read(
    std::int64_t seen_event_id, std::int64_t* last_event_id) {
  auto changes = store_.ListChanges(*last_event_id, kChangesPerRead);
  if (absl::IsUnavailable(changes.status())) {
    // The thread's next poll that succeeds wakes the watcher again.
    const std::lock_guard lock(mutex_);
    Note(changes.status());
    return std::vector<storage::ListedChange>();
  }
  if (!changes.ok()) return changes.status();
  // Events can vanish with their regression: what was announced and is not there will not come.
  *last_event_id = changes->empty() ? seen_event_id : changes->back().position;
  return changes;
}

}  // namespace regressd::query
