#include "services/agent/spool.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <tuple>
#include <utility>

#include "services/agent/spool_message.h"

namespace regressd::agent {

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
  if (dropped_bytes > 0) {
    spool->damage_ = fmt::format("{} is cut at byte {}: {} bytes from there on are damaged",
                                 path.string(), spool->file_->size_bytes(), dropped_bytes);
  }
  for (std::size_t i = 1; i < payloads.size(); ++i) {
    if (!message.ParseFromString(payloads[i])) {
      return absl::DataLossError(
          fmt::format("{}: record {} is no message of ours", path.string(), i));
    }
    spool->Restore(message, std::move(payloads[i]), places[i]);
  }
  spool->PutInOrder();
  return spool;
}

void Spool::PutInOrder() {
  const auto place = [](const Entry& entry) {
    return std::tuple(entry.kind == Kind::kEnd, entry.source_id, entry.first_seq);
  };
  std::map<std::int32_t, std::int64_t> last_seqs;
  const bool is_in_order = std::all_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    if (entry.kind == Kind::kEnd) return &entry == &entries_.back();
    return entry.first_seq > std::exchange(last_seqs[entry.source_id], entry.last_seq);
  });
  if (is_in_order) return;
  std::stable_sort(entries_.begin(), entries_.end(), [&](const Entry& left, const Entry& right) {
    return place(left) < place(right);
  });
  for (const Entry& entry : entries_) {
    if (entry.kind == Kind::kData) last_seqs_[entry.source_id] = entry.last_seq;
  }
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

std::string Spool::disk_trouble() const {
  const std::lock_guard lock(mutex_);
  return disk_trouble_;
}

void Spool::NoteDiskTrouble(const std::string& trouble) {
  const std::lock_guard lock(mutex_);
  if (disk_trouble_.empty()) disk_trouble_ = trouble;
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

absl::Status Spool::Declare(const v1::Source& source) {
  v1::PushRequest message;
  *message.mutable_source() = source;
  if (absl::Status status = CheckSendable(message); !status.ok()) return status;
  const std::lock_guard lock(mutex_);
  sources_[source.source_id()] = source;
  Store({.kind = Kind::kDeclaration, .place = {}, .bytes = {}}, message);
  return absl::OkStatus();
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
  if (absl::Status status = CheckSendable(data); !status.ok()) {
    Lose(entry, std::string(status.message()));
    return;
  }
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
  if (!CheckSendable(message).ok()) {
    // How it ended must arrive, whatever was to be said of it.
    LeaveWordsOut(message.mutable_end());
  }
  has_end_ = true;
  Store({.kind = Kind::kEnd, .place = {}, .bytes = {}}, message);
}

void Spool::Remove() {
  const std::lock_guard lock(mutex_);
  if (file_) file_->Remove();
  file_.reset();
}

}  // namespace regressd::agent
