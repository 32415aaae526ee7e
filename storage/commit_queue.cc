#include "storage/commit_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace regressd::storage {

bool CommitQueue::Push(CommitItem item) {
  const auto bytes = static_cast<std::ptrdiff_t>(item.size_bytes);
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
    bytes_ += item.size_bytes;
    items_.push_back(std::move(item));
  }
  observer_.OnQueueBytes(bytes);
  pushed_.notify_one();
  return true;
}

bool CommitQueue::ParkIfFull(std::shared_ptr<IngestStream> stream) {
  {
    const std::lock_guard lock(mutex_);
    if (bytes_ < limits_.max_bytes) return false;
    parked_.push_back(std::move(stream));
  }
  observer_.OnParkedStreams(1);
  return true;
}

std::vector<CommitItem> CommitQueue::Take() {
  std::unique_lock lock(mutex_);
  pushed_.wait(lock, [this] { return closed_ || !items_.empty(); });
  std::vector<CommitItem> group;
  std::size_t bytes = 0;
  while (!items_.empty() && group.size() < limits_.max_group_items) {
    bytes += items_.front().size_bytes;
    if (!group.empty() && bytes > limits_.max_group_bytes) break;
    group.push_back(std::move(items_.front()));
    items_.pop_front();
  }
  return group;
}

void CommitQueue::Done(const std::vector<CommitItem>& group) {
  std::size_t bytes = 0;
  for (const CommitItem& item : group) bytes += item.size_bytes;
  Release(bytes);
}

std::vector<CommitItem> CommitQueue::TakeOpens() {
  std::vector<CommitItem> opens;
  {
    const std::lock_guard lock(mutex_);
    const auto first_open = std::stable_partition(
        items_.begin(), items_.end(),
        [](const CommitItem& item) { return !std::holds_alternative<OpenItem>(item.what); });
    std::move(first_open, items_.end(), std::back_inserter(opens));
    items_.erase(first_open, items_.end());
  }
  Done(opens);
  return opens;
}

void CommitQueue::Release(std::size_t bytes) {
  std::vector<std::shared_ptr<IngestStream>> resumed;
  {
    const std::lock_guard lock(mutex_);
    bytes_ -= bytes;
    if (bytes_ <= limits_.max_bytes / 2) resumed.swap(parked_);
  }
  observer_.OnQueueBytes(-static_cast<std::ptrdiff_t>(bytes));
  observer_.OnParkedStreams(-static_cast<std::ptrdiff_t>(resumed.size()));
  for (const auto& stream : resumed) stream->Tell(&StreamSink::OnRoom);
}

void CommitQueue::Close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  pushed_.notify_all();
}

}  // namespace regressd::storage
