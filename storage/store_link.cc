#include "storage/store_link.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <mutex>
#include <string>

namespace regressd::storage {

absl::StatusOr<IngestStore*> StoreLink::Try() {
  if (store_ != nullptr) return store_.get();
  auto store = factory_.Connect();
  observer_.OnDatabaseUp(store.ok());
  if (!store.ok()) return store.status();
  store_ = *std::move(store);
  if (was_connected_) {
    observer_.OnReconnect();
    spdlog::info("the store is reached again");
  }
  was_connected_ = true;
  return store_.get();
}

IngestStore* StoreLink::Await(const std::function<void(const absl::Status&)>& while_away) {
  while (!give_up_.stop_requested()) {
    // The first try after a success comes at once: most often the server was only restarted.
    if (store_ == nullptr && failure_count_ > 1) Pause();
    const absl::StatusOr<IngestStore*> store = Try();
    if (store.ok()) return *store;
    ++failure_count_;
    // Each doubling says enough; a night without a database fills no log.
    if (std::has_single_bit(static_cast<unsigned>(failure_count_))) {
      spdlog::warn("the store cannot be reached, attempt {}: {}", failure_count_,
                   std::string(store.status().message()));
    }
    while_away(store.status());
  }
  return nullptr;
}

void StoreLink::Lost(const absl::Status& why) {
  spdlog::warn("lost the store: {}", std::string(why.message()));
  observer_.OnDatabaseUp(false);
  store_.reset();
  ++failure_count_;
}

absl::Status StoreLink::Explain(const absl::Status& answer) {
  if (answer.code() != absl::StatusCode::kResourceExhausted) return answer;
  observer_.OnWritesRefused(answer);
  return absl::UnavailableError(fmt::format("the database takes no writes: {}; try again later",
                                            std::string(answer.message())));
}

void StoreLink::Pause() {
  const int doublings = std::min(failure_count_ - 2, 16);
  const auto pause = std::min(backoff_.longest, backoff_.first * (1 << std::max(doublings, 0)));
  std::mutex mutex;
  std::condition_variable_any given_up;
  std::unique_lock lock(mutex);
  given_up.wait_for(lock, give_up_, pause, [] { return false; });
}

}  // namespace regressd::storage
