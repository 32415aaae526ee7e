#include "storage/run_ender.h"

#include <utility>

namespace regressd::storage {

void RunEnder::Push(std::shared_ptr<IngestStream> stream, EndItem end) {
  {
    const std::lock_guard lock(mutex_);
    items_.push_back({std::move(stream), std::move(end)});
  }
  pushed_.notify_one();
}

void RunEnder::Close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  pushed_.notify_all();
}

bool RunEnder::Take(Item* item) {
  std::unique_lock lock(mutex_);
  pushed_.wait(lock, [this] { return closed_ || !items_.empty(); });
  if (items_.empty()) return false;
  *item = std::move(items_.front());
  items_.pop_front();
  return true;
}

void RunEnder::Run() {
  Item item;
  while (Take(&item)) End(std::move(item));
}

void RunEnder::End(Item item) {
  IngestStore* store = link_.Await([](const absl::Status&) {});
  if (store == nullptr) {
    item.stream->Fail(absl::UnavailableError("the server stops; say Hello again and end the run"));
    return;
  }
  const auto state = store->EndRun(item.end.run_id, item.end.epoch, item.end.outcome);
  if (state.ok()) {
    link_.Worked();
    item.stream->Tell(&StreamSink::OnEnded, *state);
    return;
  }
  if (state.status().code() != absl::StatusCode::kUnavailable) {
    item.stream->Fail(link_.Explain(state.status()));
    return;
  }
  link_.Lost(state.status());
  // To the back: one run that cannot be ended does not hold up the others. Who has gone will come
  // back with the same End.
  if (!item.stream->abandoned()) Push(std::move(item.stream), std::move(item.end));
}

}  // namespace regressd::storage
