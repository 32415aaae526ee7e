#include "storage/committer_pool.h"

#include <algorithm>
#include <condition_variable>
#include <utility>

namespace regressd::storage {
namespace {

CommitQueue::Limits ShareOf(const CommitterPool::Options& options) {
  CommitQueue::Limits limits = options.limits;
  limits.max_bytes /= static_cast<std::size_t>(std::max(options.committer_count, 1));
  return limits;
}

}  // namespace

CommitterPool::Lane::Lane(const Options& options, RunEnder& ender, IngestStoreFactory& factory,
                          CommitObserver& observer, std::stop_token give_up)
    : queue(ShareOf(options), observer),
      committer(queue, ender, factory, observer, options.backoff, std::move(give_up)),
      thread([this] { committer.Run(); }) {}

CommitterPool::CommitterPool(IngestStoreFactory& factory, CommitObserver& observer,
                             const Options& options)
    : ender_(factory, observer, options.backoff, give_up_.get_token()) {
  for (int i = 0; i < std::max(options.committer_count, 1); ++i) {
    lanes_.push_back(
        std::make_unique<Lane>(options, ender_, factory, observer, give_up_.get_token()));
  }
  ending_ = std::thread([this] { ender_.Run(); });
}

CommitterPool::~CommitterPool() { Drain(std::chrono::milliseconds(0)); }

std::shared_ptr<IngestStream> CommitterPool::NewStream(std::int64_t run_id,
                                                       std::weak_ptr<StreamSink> sink) {
  // Run ids are random bits already.
  const std::size_t lane = static_cast<std::uint64_t>(run_id) % lanes_.size();
  return std::make_shared<IngestStream>(lanes_[lane]->queue, std::move(sink));
}

void CommitterPool::Drain(std::chrono::milliseconds timeout) {
  std::call_once(drained_, [&] {
    std::mutex mutex;
    std::condition_variable finished;
    bool all_done = false;
    std::thread deadline([&] {
      std::unique_lock lock(mutex);
      if (!finished.wait_for(lock, timeout, [&] { return all_done; })) give_up_.request_stop();
    });
    for (const auto& lane : lanes_) lane->queue.Close();
    for (const auto& lane : lanes_) lane->thread.join();
    ender_.Close();
    ending_.join();
    {
      const std::lock_guard lock(mutex);
      all_done = true;
    }
    finished.notify_one();
    deadline.join();
  });
}

}  // namespace regressd::storage
