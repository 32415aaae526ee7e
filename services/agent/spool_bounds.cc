#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "services/agent/spool.h"
#include "services/agent/spool_message.h"

namespace regressd::agent {
namespace {

// Rewriting the file pays only when much of it is dead.
constexpr std::int64_t kMinDeadBytes = 8 * 1024 * 1024;

}  // namespace

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

}  // namespace regressd::agent
