#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

#include "storage/ingest_stream.h"

namespace regressd::test {

/// Remembers what committers say of a stream, and lets a test wait for it. Thread-safe.
class RecordingSink : public storage::StreamSink {
 public:
  void OnResumed(const storage::OpenedRun& run) override {
    Change([&] { opened_ = run; });
  }
  void OnDeclared(std::int32_t source_id, std::int64_t last_seq) override {
    Change([&] { declared_[source_id] = last_seq; });
  }
  void OnStored(std::int32_t source_id, std::int64_t last_seq) override {
    Change([&] {
      went_back_ = went_back_ || last_seq < stored_[source_id];
      stored_[source_id] = last_seq;
    });
  }
  void OnEnded(model::RunState state) override {
    Change([&] { ended_ = state; });
  }
  void OnFailed(const absl::Status& status) override {
    Change([&] { failure_ = status; });
  }
  void OnRoom() override {
    Change([&] { ++room_count_; });
  }

  // Each waits for the event; or for the stream's failure, which gives an empty answer.
  std::optional<storage::OpenedRun> AwaitOpened() {
    Await([&] { return opened_.has_value(); });
    return opened_;
  }
  std::optional<std::int64_t> AwaitDeclared(std::int32_t source_id) {
    Await([&] { return declared_.count(source_id) > 0; });
    const std::lock_guard lock(mutex_);
    const auto found = declared_.find(source_id);
    return found == declared_.end() ? std::nullopt : std::optional(found->second);
  }
  /// The last number that was stored of the source, at least `seq` unless the stream failed.
  std::int64_t AwaitStored(std::int32_t source_id, std::int64_t seq) {
    Await([&] { return stored_[source_id] >= seq; });
    const std::lock_guard lock(mutex_);
    return stored_[source_id];
  }
  std::optional<model::RunState> AwaitEnded() {
    Await([&] { return ended_.has_value(); });
    return ended_;
  }
  absl::Status AwaitFailed() {
    Await([&] { return false; });
    return *failure_;
  }
  void AwaitRoom() {
    Await([&] { return room_count_ > 0; });
  }

  std::int64_t stored(std::int32_t source_id) {
    const std::lock_guard lock(mutex_);
    return stored_[source_id];
  }
  int room_count() {
    const std::lock_guard lock(mutex_);
    return room_count_;
  }
  bool failed() {
    const std::lock_guard lock(mutex_);
    return failure_.has_value();
  }
  /// Some acknowledgement was lower than one before.
  bool went_back() {
    const std::lock_guard lock(mutex_);
    return went_back_;
  }

 private:
  void Change(const std::function<void()>& change) {
    {
      const std::lock_guard lock(mutex_);
      change();
    }
    changed_.notify_all();
  }
  void Await(const std::function<bool()>& happened) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failure_.has_value() || happened(); });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<storage::OpenedRun> opened_;
  std::map<std::int32_t, std::int64_t> declared_;
  std::map<std::int32_t, std::int64_t> stored_;
  std::optional<model::RunState> ended_;
  std::optional<absl::Status> failure_;
  int room_count_ = 0;
  bool went_back_ = false;
};

}  // namespace regressd::test
