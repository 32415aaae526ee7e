#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace regressd::http {

/// A fixed number of threads with a short queue before them. Thread-safe.
class TaskQueue {
 public:
  TaskQueue(std::size_t thread_count, std::size_t max_queued);
  ~TaskQueue();
  TaskQueue(const TaskQueue&) = delete;
  TaskQueue& operator=(const TaskQueue&) = delete;

  /// Waits while the queue is full. After Shutdown the task runs on the calling thread.
  void Enqueue(std::function<void()> task);

  /// Runs what is queued and ends the threads. Idempotent.
  void Shutdown();

 private:
  void Work();

  const std::size_t max_queued_;
  std::mutex mutex_;
  std::condition_variable filled_;
  std::condition_variable drained_;
  std::deque<std::function<void()>> tasks_;  ///< Guarded by mutex_.
  bool shutdown_ = false;                    ///< Guarded by mutex_.
  std::vector<std::thread> threads_;
};

}  // namespace regressd::http
