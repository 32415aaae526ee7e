#include "services/agent/recorder.h"

#include <algorithm>
#include <utility>

#include "services/agent/batch_encoder.h"
#include "services/agent/clean_text.h"
#include "services/common/convert.h"

namespace regressd::agent {
namespace {

constexpr std::size_t kMaxObservationsPerBatch = 100'000;
// A dictionary message stays well below gRPC's 4 MiB.
constexpr std::size_t kMaxDictionaryChunkBytes = 512 * 1024;
// The dictionary of a run is kept for every new stream, so it is bounded.
constexpr std::size_t kMaxStackBytes = 16 * 1024 * 1024;
constexpr const char* kStackOverflow = "[more stacks than the agent keeps]";

}  // namespace

Recorder::Recorder(Spool& spool, std::int32_t rows_per_batch)
    : spool_(spool),
      rows_per_batch_(static_cast<std::size_t>(std::clamp(rows_per_batch, 1, 600))) {}

void Recorder::Declare(const model::Source& source) {
  const std::lock_guard lock(mutex_);
  Open& open = open_[source.source_id];
  open.metric_count = source.metrics.size();
  v1::Source message;
  common::ToProto(source, &message);
  spool_.Declare(message);
}

void Recorder::AddRow(std::int32_t source_id, Row row) {
  const std::lock_guard lock(mutex_);
  Open& open = open_[source_id];
  open.rows.push_back(std::move(row));
  ++sample_count_;
  if (open.rows.size() >= rows_per_batch_) Seal(source_id, &open);
}

void Recorder::Seal(std::int32_t source_id, Open* open) {
  if (open->rows.empty()) return;
  v1::PushRequest message;
  *message.mutable_batch() = EncodeRows(source_id, open->next_seq, open->rows);
  spool_.Append(message);
  open->next_seq += static_cast<std::int64_t>(open->rows.size());
  open->rows.clear();
}

void Recorder::Flush() {
  const std::lock_guard lock(mutex_);
  for (auto& [source_id, open] : open_) Seal(source_id, &open);
}

std::int32_t Recorder::StackIndex(const std::string& folded, v1::StackDictionary* fresh) {
  const auto known = stack_indexes_.find(folded);
  if (known != stack_indexes_.end()) return known->second;
  if (stack_bytes_ + folded.size() > kMaxStackBytes && folded != kStackOverflow) {
    return StackIndex(kStackOverflow, fresh);
  }
  const auto index = static_cast<std::int32_t>(stack_indexes_.size());
  stack_indexes_.emplace(folded, index);
  stack_bytes_ += folded.size();
  if (fresh->folded_size() == 0) fresh->set_first_index(index);
  fresh->add_folded(folded);
  if (fresh->ByteSizeLong() > kMaxDictionaryChunkBytes) {
    spool_.AddStacks(*fresh);
    fresh->Clear();
  }
  return index;
}

void Recorder::AddStacks(std::int32_t source_id, const StackWindow& window) {
  const std::lock_guard lock(mutex_);
  v1::StackDictionary fresh;
  std::map<std::int32_t, std::int64_t> counts;  // Cleaned texts may be equal.
  for (const auto& [folded, count] : window.counts) {
    counts[StackIndex(CleanText(folded), &fresh)] += count;
  }
  if (fresh.folded_size() > 0) spool_.AddStacks(fresh);

  Open& open = open_[source_id];
  v1::PushRequest message;
  v1::StackBatch& batch = *message.mutable_stack_batch();
  batch.set_source_id(source_id);
  batch.set_seq(open.next_seq++);
  batch.set_begin_time_us(window.begin_time.time_since_epoch().count());
  batch.set_duration_us(window.duration.count());
  for (const auto& [index, count] : counts) {
    batch.add_stack_index(index);
    batch.add_count(count);
    sample_count_ += count;
  }
  spool_.Append(message);
}

void Recorder::AddObservations(std::int32_t source_id, std::int32_t metric_index,
                               std::span<const double> values) {
  const std::lock_guard lock(mutex_);
  Open& open = open_[source_id];
  while (!values.empty()) {
    const std::size_t count = std::min(values.size(), kMaxObservationsPerBatch);
    v1::PushRequest message;
    v1::ObservationBatch& batch = *message.mutable_observation_batch();
    batch.set_source_id(source_id);
    batch.set_seq(open.next_seq++);
    batch.set_metric_index(metric_index);
    batch.mutable_values()->Add(values.begin(),
                                values.begin() + static_cast<std::ptrdiff_t>(count));
    spool_.Append(message);
    sample_count_ += static_cast<std::int64_t>(count);
    values = values.subspan(count);
  }
}

void Recorder::AddNote(std::string_view monitor, std::string_view text) {
  const std::lock_guard lock(mutex_);
  std::string& note = notes_[std::string(monitor)];
  const std::string clean = CleanText(text);
  if (note.find(clean) != std::string::npos) return;
  if (!note.empty()) note += "; ";
  note += clean;
}

std::map<std::string, std::string> Recorder::notes() const {
  const std::lock_guard lock(mutex_);
  return notes_;
}

std::int64_t Recorder::sample_count() const {
  const std::lock_guard lock(mutex_);
  return sample_count_;
}

std::int64_t Recorder::metric_count() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& [source_id, open] : open_) count += open.metric_count;
  return static_cast<std::int64_t>(count);
}

}  // namespace regressd::agent
