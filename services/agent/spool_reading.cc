#include <utility>

#include "services/agent/spool.h"
#include "services/agent/spool_message.h"

namespace regressd::agent {

std::vector<v1::PushRequest> Spool::BeginStream(const v1::Resume& resume) {
  const std::lock_guard lock(mutex_);
  next_index_ = 0;
  in_flight_count_ = 0;
  in_flight_bytes_ = 0;
  end_sent_ = false;
  std::map<std::int32_t, std::int64_t> cursors;
  for (const v1::Ack& cursor : resume.cursors()) {
    cursors[cursor.source_id()] = cursor.last_seq();
  }
  for (auto& [source_id, last_seq] : cursors) MarkAcknowledged(source_id, last_seq);
  // Every declaration so far is in the prelude.
  std::deque<Entry> kept;
  for (Entry& entry : entries_) {
    if (entry.kind == Kind::kDeclaration || entry.acknowledged) {
      Forget(entry);
    } else {
      kept.push_back(std::move(entry));
    }
  }
  entries_ = std::move(kept);
  FillHoles(cursors);
  return Prelude();
}

std::vector<v1::PushRequest> Spool::Prelude() const {
  std::vector<v1::PushRequest> prelude;
  for (const auto& [source_id, source] : sources_) {
    *prelude.emplace_back().mutable_source() = source;
  }
  for (const v1::StackDictionary& entries : dictionary_) {
    *prelude.emplace_back().mutable_stack_dictionary() = entries;
  }
  return prelude;
}

std::optional<v1::PushRequest> Spool::Next(const Window& window,
                                           const std::atomic<bool>& interrupted) {
  std::unique_lock lock(mutex_);
  const auto ready = [&] {
    if (next_index_ >= entries_.size()) return false;
    switch (entries_[next_index_].kind) {
      case Kind::kDeclaration:
        return true;
      case Kind::kEnd:
        return in_flight_count_ == 0;
      case Kind::kData:
        break;
    }
    // One batch is always allowed: a window below its size must not stop everything.
    return in_flight_count_ == 0 ||
           (in_flight_count_ < window.batch_count && in_flight_bytes_ < window.bytes);
  };
  changed_.wait(lock, [&] { return interrupted || end_sent_ || ready(); });
  if (interrupted || end_sent_) return std::nullopt;
  const Entry& entry = entries_[next_index_];
  v1::PushRequest message;
  if (!message.ParseFromString(BytesOf(entry))) {
    // Only damage makes it so. Data become a gap; what the stream cannot do without ends it.
    if (entry.kind != Kind::kData) return std::nullopt;
    const SeqRange range{
        .source_id = entry.source_id, .first_seq = entry.first_seq, .last_seq = entry.last_seq};
    message = MakeGap(range, "damaged at the agent");
  }
  if (entry.kind == Kind::kData) {
    ++in_flight_count_;
    in_flight_bytes_ += entry.size_bytes;
  }
  end_sent_ = entry.kind == Kind::kEnd;
  ++next_index_;
  DropFront();
  return message;
}

std::string Spool::BytesOf(const Entry& entry) const {
  if (!entry.bytes.empty() || !entry.place) return entry.bytes;
  absl::StatusOr<std::string> bytes = file_->Read(*entry.place);
  if (bytes.ok()) return *std::move(bytes);
  // The disk no longer gives what it took; the numbers go on as a gap.
  const SeqRange range{
      .source_id = entry.source_id, .first_seq = entry.first_seq, .last_seq = entry.last_seq};
  return MakeGap(range, std::string(bytes.status().message())).SerializeAsString();
}

void Spool::Acknowledge(const v1::Ack& ack) {
  const std::lock_guard lock(mutex_);
  MarkAcknowledged(ack.source_id(), ack.last_seq());
  DropFront();
  CompactIfWorthIt();
  changed_.notify_all();
}

void Spool::MarkAcknowledged(std::int32_t source_id, std::int64_t last_seq) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (entry.kind != Kind::kData || entry.source_id != source_id || entry.acknowledged) continue;
    if (entry.last_seq > last_seq) break;  // A source's numbers rise.
    entry.acknowledged = true;
    ++stats_.acknowledged_count;
    --stats_.waiting_count;
    waiting_bytes_ -= entry.size_bytes;
    if (i < next_index_) {
      --in_flight_count_;
      in_flight_bytes_ -= entry.size_bytes;
    }
  }
}

void Spool::DropFront() {
  while (next_index_ > 0 && !entries_.empty()) {
    const Entry& front = entries_.front();
    if (front.kind == Kind::kEnd || (front.kind == Kind::kData && !front.acknowledged)) return;
    Forget(front);
    entries_.pop_front();
    --next_index_;
  }
}

void Spool::Forget(const Entry& entry) { memory_bytes_ -= entry.bytes.size(); }

void Spool::Wake() {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

}  // namespace regressd::agent
