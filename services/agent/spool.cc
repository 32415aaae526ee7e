#include "services/agent/spool.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace regressd::agent {
namespace {

// Rewriting the file pays only when much of it is dead.
constexpr std::int64_t kMinDeadBytes = 8 * 1024 * 1024;

struct SeqRange {
  std::int32_t source_id = 0;
  std::int64_t first_seq = 0;
  std::int64_t last_seq = 0;
};

SeqRange RangeOf(const v1::PushRequest& message) {
  switch (message.message_case()) {
    case v1::PushRequest::kBatch: {
      const v1::Batch& batch = message.batch();
      return {batch.source_id(), batch.first_seq(), batch.first_seq() + batch.sample_count() - 1};
    }
    case v1::PushRequest::kStackBatch:
      return {message.stack_batch().source_id(), message.stack_batch().seq(),
              message.stack_batch().seq()};
    case v1::PushRequest::kObservationBatch:
      return {message.observation_batch().source_id(), message.observation_batch().seq(),
              message.observation_batch().seq()};
    case v1::PushRequest::kGap: {
      const v1::Gap& gap = message.gap();
      return {gap.source_id(), gap.first_seq(), gap.first_seq() + gap.count() - 1};
    }
    default:
      return {};
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Spool>> Spool::Create(const SpoolOptions& options,
                                                     const v1::Hello& hello) {
  auto spool = std::unique_ptr<Spool>(new Spool(options, hello));
  if (options.directory.empty()) return spool;
  std::error_code error;
  std::filesystem::create_directories(options.directory, error);
  if (error) {
    return absl::PermissionDeniedError(fmt::format("cannot make the spool directory {}: {}",
                                                   options.directory.string(), error.message()));
  }
  absl::StatusOr<SpoolFile> file =
      SpoolFile::Create(options.directory / (hello.run().run_uuid() + ".spool"));
  if (!file.ok()) return file.status();
  spool->file_ = *std::move(file);
  v1::PushRequest first;
  *first.mutable_hello() = hello;
  if (absl::StatusOr<RecordPlace> place = spool->file_->Append(first.SerializeAsString());
      !place.ok()) {
    spool->file_->Remove();
    return place.status();
  }
  return spool;
}

absl::StatusOr<std::unique_ptr<Spool>> Spool::Recover(const std::filesystem::path& path,
                                                      const SpoolOptions& options) {
  std::vector<std::string> payloads;
  std::vector<RecordPlace> places;
  std::int64_t dropped_bytes = 0;
  absl::StatusOr<SpoolFile> file = SpoolFile::Open(path, &payloads, &places, &dropped_bytes);
  if (!file.ok()) return file.status();
  v1::PushRequest message;
  if (payloads.empty() || !message.ParseFromString(payloads.front()) || !message.has_hello()) {
    return absl::DataLossError(
        fmt::format("{} does not begin with a run; remove it", path.string()));
  }
  auto spool = std::unique_ptr<Spool>(new Spool(options, message.hello()));
  spool->file_ = *std::move(file);
  for (std::size_t i = 1; i < payloads.size(); ++i) {
    if (!message.ParseFromString(payloads[i])) {
      return absl::DataLossError(
          fmt::format("{}: record {} is no message of ours", path.string(), i));
    }
    spool->Restore(message, std::move(payloads[i]), places[i]);
  }
  return spool;
}

void Spool::Restore(v1::PushRequest message, std::string bytes, const RecordPlace& place) {
  switch (message.message_case()) {
    case v1::PushRequest::kSource:
      sources_[message.source().source_id()] = message.source();
      declared_bytes_ += bytes.size();
      return;
    case v1::PushRequest::kStackDictionary:
      stack_count_ += message.stack_dictionary().folded_size();
      dictionary_.push_back(message.stack_dictionary());
      declared_bytes_ += bytes.size();
      return;
    default:
      break;
  }
  const SeqRange range = RangeOf(message);
  Entry entry{.kind = message.has_end() ? Kind::kEnd : Kind::kData,
              .source_id = range.source_id,
              .first_seq = range.first_seq,
              .last_seq = range.last_seq,
              .size_bytes = bytes.size(),
              .place = place,
              .bytes = {}};
  if (memory_bytes_ + bytes.size() <= options_.max_memory_bytes) {
    memory_bytes_ += bytes.size();
    entry.bytes = std::move(bytes);
  }
  if (entry.kind == Kind::kData) {
    last_seqs_[range.source_id] = range.last_seq;
    waiting_bytes_ += entry.size_bytes;
    ++stats_.taken_count;
    ++stats_.waiting_count;
  } else {
    has_end_ = true;
  }
  entries_.push_back(std::move(entry));
}

std::filesystem::path Spool::path() const {
  const std::lock_guard lock(mutex_);
  return file_ ? file_->path() : std::filesystem::path();
}

bool Spool::has_end() const {
  const std::lock_guard lock(mutex_);
  return has_end_;
}

std::int32_t Spool::stack_count() const {
  const std::lock_guard lock(mutex_);
  return stack_count_;
}

std::int64_t Spool::LastSeq(std::int32_t source_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = last_seqs_.find(source_id);
  return found == last_seqs_.end() ? 0 : found->second;
}

SpoolStats Spool::stats() const {
  const std::lock_guard lock(mutex_);
  SpoolStats stats = stats_;
  stats.waiting_bytes = waiting_bytes_;
  return stats;
}

bool Spool::Store(Entry entry, const v1::PushRequest& message) {
  std::string bytes = message.SerializeAsString();
  entry.size_bytes = bytes.size();
  std::string reason;
  if (file_) {
    absl::StatusOr<RecordPlace> place = file_->Append(bytes);
    if (place.ok()) {
      entry.place = *place;
    } else {
      reason = std::string(place.status().message());
    }
  }
  // Without the disk, memory alone carries data up to its bound; what must not be lost stays
  // anyway.
  const std::size_t memory_limit = file_ ? options_.max_memory_bytes : options_.max_bytes;
  const bool fits = memory_bytes_ + bytes.size() <= memory_limit;
  if (!entry.place && !fits && entry.kind == Kind::kData && !message.has_gap()) {
    Lose(entry, reason.empty() ? "memory limit of the spool reached" : reason);
    return false;
  }
  if (fits || !entry.place || entry.kind == Kind::kDeclaration) {
    memory_bytes_ += bytes.size();
    entry.bytes = std::move(bytes);
  }
  if (entry.kind == Kind::kData) {
    waiting_bytes_ += entry.size_bytes;
    ++stats_.taken_count;
    ++stats_.waiting_count;
    last_seqs_[entry.source_id] = entry.last_seq;
  }
  if (entry.kind == Kind::kDeclaration) declared_bytes_ += entry.size_bytes;
  entries_.push_back(std::move(entry));
  changed_.notify_all();
  return true;
}

void Spool::Lose(const Entry& entry, const std::string& reason) {
  PendingGap& gap = pending_gaps_[entry.source_id];
  if (gap.count == 0) {
    gap.first_seq = entry.first_seq;
    gap.reason = reason;
  }
  const std::int64_t count = entry.last_seq - entry.first_seq + 1;
  gap.count += count;
  stats_.lost_seq_count += count;
  last_seqs_[entry.source_id] = entry.last_seq;
}

void Spool::FlushGap(std::int32_t source_id) {
  const auto found = pending_gaps_.find(source_id);
  if (found == pending_gaps_.end()) return;
  const PendingGap gap = std::move(found->second);
  pending_gaps_.erase(found);
  PushGap(source_id, gap);
}

void Spool::PushGap(std::int32_t source_id, const PendingGap& gap) {
  v1::PushRequest message;
  message.mutable_gap()->set_source_id(source_id);
  message.mutable_gap()->set_first_seq(gap.first_seq);
  message.mutable_gap()->set_count(gap.count);
  message.mutable_gap()->set_reason(gap.reason);
  Store({.source_id = source_id,
         .first_seq = gap.first_seq,
         .last_seq = gap.first_seq + gap.count - 1,
         .place = {},
         .bytes = {}},
        message);
}

void Spool::Declare(const v1::Source& source) {
  const std::lock_guard lock(mutex_);
  sources_[source.source_id()] = source;
  v1::PushRequest message;
  *message.mutable_source() = source;
  Store({.kind = Kind::kDeclaration, .place = {}, .bytes = {}}, message);
}

void Spool::AddStacks(const v1::StackDictionary& entries) {
  const std::lock_guard lock(mutex_);
  dictionary_.push_back(entries);
  stack_count_ += entries.folded_size();
  v1::PushRequest message;
  *message.mutable_stack_dictionary() = entries;
  Store({.kind = Kind::kDeclaration, .place = {}, .bytes = {}}, message);
}

void Spool::Append(const v1::PushRequest& data) {
  const std::lock_guard lock(mutex_);
  const SeqRange range = RangeOf(data);
  Entry entry{.source_id = range.source_id,
              .first_seq = range.first_seq,
              .last_seq = range.last_seq,
              .place = {},
              .bytes = {}};
  if (waiting_bytes_ + data.ByteSizeLong() > options_.max_bytes) {
    Lose(entry, fmt::format("spool limit of {} KiB reached", options_.max_bytes / 1024));
    return;
  }
  FlushGap(range.source_id);
  Store(std::move(entry), data);
}

void Spool::End(const v1::End& end) {
  const std::lock_guard lock(mutex_);
  while (!pending_gaps_.empty()) FlushGap(pending_gaps_.begin()->first);
  v1::PushRequest message;
  *message.mutable_end() = end;
  has_end_ = true;
  Store({.kind = Kind::kEnd, .place = {}, .bytes = {}}, message);
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

void Spool::FillHoles(const std::map<std::int32_t, std::int64_t>& cursors) {
  // The server stands before what is left here: it lost what it had acknowledged (an older backup
  // came back), or this file lost a record to a full disk. The numbers must be dense, so say so.
  std::map<std::int32_t, std::int64_t> expected;
  for (const auto& [source_id, last_seq] : cursors) expected[source_id] = last_seq + 1;
  std::deque<Entry> old;
  old.swap(entries_);
  for (Entry& entry : old) {
    if (entry.kind == Kind::kData) {
      std::int64_t& next = expected.try_emplace(entry.source_id, 1).first->second;
      if (entry.first_seq > next) {
        const std::int64_t count = entry.first_seq - next;
        stats_.lost_seq_count += count;
        const std::int64_t last_seq = last_seqs_[entry.source_id];
        PushGap(entry.source_id,
                {.first_seq = next, .count = count, .reason = "no longer at the agent"});
        last_seqs_[entry.source_id] = last_seq;
      }
      next = entry.last_seq + 1;
    }
    entries_.push_back(std::move(entry));
  }
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
  if (!message.ParseFromString(BytesOf(entry))) return std::nullopt;
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
  v1::PushRequest message;
  message.mutable_gap()->set_source_id(entry.source_id);
  message.mutable_gap()->set_first_seq(entry.first_seq);
  message.mutable_gap()->set_count(entry.last_seq - entry.first_seq + 1);
  message.mutable_gap()->set_reason(std::string(bytes.status().message()));
  return message.SerializeAsString();
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

void Spool::CompactIfWorthIt() {
  if (!file_) return;
  const std::int64_t dead_bytes =
      file_->size_bytes() - static_cast<std::int64_t>(waiting_bytes_ + declared_bytes_);
  if (dead_bytes < kMinDeadBytes || dead_bytes < file_->size_bytes() / 2) return;
  // On failure the old file goes on as it is.
  Compact().IgnoreError();
}

absl::Status Spool::Compact() {
  std::filesystem::path new_path = file_->path();
  new_path += ".new";
  std::error_code ignored;
  std::filesystem::remove(new_path, ignored);
  absl::StatusOr<SpoolFile> fresh = SpoolFile::Create(new_path);
  if (!fresh.ok()) return fresh.status();
  std::vector<v1::PushRequest> head = Prelude();
  *head.emplace(head.begin())->mutable_hello() = hello_;
  for (const v1::PushRequest& message : head) {
    const absl::StatusOr<RecordPlace> place = fresh->Append(message.SerializeAsString());
    if (!place.ok()) {
      fresh->Remove();
      return place.status();
    }
  }
  std::vector<std::pair<Entry*, RecordPlace>> moved;
  for (Entry& entry : entries_) {
    if (entry.kind == Kind::kDeclaration || entry.acknowledged) continue;
    const absl::StatusOr<RecordPlace> place = fresh->Append(BytesOf(entry));
    if (!place.ok()) {
      fresh->Remove();
      return place.status();
    }
    moved.emplace_back(&entry, *place);
  }
  if (absl::Status status = file_->ReplaceBy(*std::move(fresh)); !status.ok()) return status;
  for (Entry& entry : entries_) entry.place.reset();
  for (auto& [entry, place] : moved) entry->place = place;
  return absl::OkStatus();
}

void Spool::Wake() {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

void Spool::Remove() {
  const std::lock_guard lock(mutex_);
  if (file_) file_->Remove();
  file_.reset();
}

}  // namespace regressd::agent
