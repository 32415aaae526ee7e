#include <fmt/format.h>

#include <set>
#include <system_error>
#include <utility>

#include "services/agent/spool.h"
#include "services/agent/spool_message.h"

namespace regressd::agent {
namespace {

// Rewriting the file pays only when much of it is dead.
constexpr std::int64_t kMinDeadBytes = 8 * 1024 * 1024;

}  // namespace

absl::StatusOr<RecordPlace> Spool::Write(Kind kind, const std::string& bytes) {
  // Samples whose declaration is not in the file could not be read there.
  while (!owed_declarations_.empty()) {
    const absl::StatusOr<RecordPlace> place = file_->Append(owed_declarations_.front());
    if (!place.ok()) {
      if (kind == Kind::kDeclaration) owed_declarations_.push_back(bytes);
      return place;
    }
    owed_declarations_.pop_front();
  }
  absl::StatusOr<RecordPlace> place = file_->Append(bytes);
  if (!place.ok() && kind == Kind::kDeclaration) owed_declarations_.push_back(bytes);
  return place;
}

bool Spool::Store(Entry entry, const v1::PushRequest& message) {
  std::string bytes = message.SerializeAsString();
  entry.size_bytes = bytes.size();
  std::string reason;
  if (file_) {
    absl::StatusOr<RecordPlace> place = Write(entry.kind, bytes);
    if (place.ok()) {
      entry.place = *place;
    } else {
      reason = std::string(place.status().message());
      if (disk_trouble_.empty()) disk_trouble_ = reason;
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
  const SeqRange range{.source_id = source_id,
                       .first_seq = gap.first_seq,
                       .last_seq = gap.first_seq + gap.count - 1};
  Store({.source_id = source_id,
         .first_seq = range.first_seq,
         .last_seq = range.last_seq,
         .place = {},
         .bytes = {}},
        MakeGap(range, gap.reason));
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

std::int64_t Spool::Keep() {
  const std::lock_guard lock(mutex_);
  if (!file_) return 0;
  while (!owed_declarations_.empty() && file_->AppendReserved(owed_declarations_.front()).ok()) {
    owed_declarations_.pop_front();
  }
  std::set<std::int32_t> undeclared;
  for (const std::string& bytes : owed_declarations_) {
    v1::PushRequest message;
    if (message.ParseFromString(bytes)) undeclared.insert(message.source().source_id());
  }
  std::int64_t lost_count = 0;
  std::map<std::int32_t, PendingGap> gaps;
  const auto keep_gap = [&](std::int32_t source_id) {
    const PendingGap gap = std::exchange(gaps[source_id], {});
    if (gap.count == 0 || undeclared.contains(source_id)) return;
    const SeqRange range{.source_id = source_id,
                         .first_seq = gap.first_seq,
                         .last_seq = gap.first_seq + gap.count - 1};
    // Without room for it, the next agent finds the hole by its numbers.
    file_->AppendReserved(MakeGap(range, gap.reason).SerializeAsString()).IgnoreError();
  };
  for (Entry& entry : entries_) {
    if (entry.kind == Kind::kEnd) KeepEnd(entry);
    if (entry.kind != Kind::kData || entry.place || entry.acknowledged) continue;
    const absl::StatusOr<RecordPlace> place = Write(entry.kind, entry.bytes);
    if (place.ok()) {
      entry.place = *place;
      continue;
    }
    PendingGap& gap = gaps[entry.source_id];
    if (gap.first_seq + gap.count != entry.first_seq) keep_gap(entry.source_id);
    if (gap.count == 0) {
      gap.first_seq = entry.first_seq;
      gap.reason = std::string(place.status().message());
    }
    const std::int64_t count = entry.last_seq - entry.first_seq + 1;
    gap.count += count;
    v1::PushRequest message;
    if (!message.ParseFromString(entry.bytes) || !message.has_gap()) lost_count += count;
  }
  for (const auto& [source_id, gap] : std::map(gaps)) keep_gap(source_id);
  stats_.lost_seq_count += lost_count;
  return lost_count;
}

void Spool::KeepEnd(const Entry& end) {
  if (end.place || Write(end.kind, end.bytes).ok() || file_->AppendReserved(end.bytes).ok()) return;
  v1::PushRequest message;
  if (!message.ParseFromString(end.bytes)) return;
  // How it ended has its room, whatever was to be said of it.
  LeaveWordsOut(message.mutable_end());
  file_->AppendReserved(message.SerializeAsString()).IgnoreError();
}

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
  owed_declarations_.clear();
  for (Entry& entry : entries_) entry.place.reset();
  for (auto& [entry, place] : moved) entry->place = place;
  return absl::OkStatus();
}

}  // namespace regressd::agent
