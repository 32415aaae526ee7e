#include "services/http/task_queue.h"

#include <utility>

namespace regressd::http {

TaskQueue::TaskQueue(std::size_t thread_count, std::size_t max_queued) : max_queued_(max_queued) {
  for (std::size_t i = 0; i < thread_count; ++i) threads_.emplace_back([this] { Work(); });
}

TaskQueue::~TaskQueue() { Shutdown(); }

void TaskQueue::Enqueue(std::function<void()> task) {
  {
    std::unique_lock lock(mutex_);
    drained_.wait(lock, [&] { return shutdown_ || tasks_.size() < max_queued_; });
    if (!shutdown_) {
      tasks_.push_back(std::move(task));
      filled_.notify_one();
      return;
    }
  }
  task();  // It owns a connection, which only running it closes.
}

void TaskQueue::Shutdown() {
  {
    const std::lock_guard lock(mutex_);
    shutdown_ = true;
  }
  filled_.notify_all();
  drained_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void TaskQueue::Work() {
  while (true) {
    std::function<void()> task;
    {
      std::unique_lock lock(mutex_);
      filled_.wait(lock, [&] { return shutdown_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    drained_.notify_one();
    task();
  }
}

}  // namespace regressd::http
