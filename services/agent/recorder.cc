#include "services/agent/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "services/agent/batch_encoder.h"
#include "services/agent/clean_text.h"
#include "services/common/convert.h"
#include "services/parse/text.h"

namespace regressd::agent {
namespace {

constexpr std::size_t kMaxObservationsPerBatch = 100'000;
// A dictionary message stays well below gRPC's 4 MiB.
constexpr std::size_t kMaxDictionaryChunkBytes = 512 * 1024;
// The dictionary of a run is kept for every new stream, so it is bounded.
constexpr std::size_t kMaxStackBytes = 16 * 1024 * 1024;
constexpr std::size_t kMaxNoteBytes = 32 * 1024;
constexpr std::string_view kMoreNotes = "; and more";
// At up to 10 bytes a value, well below what a message may have.
constexpr std::size_t kMaxValuesPerBatch = 250'000;
// The protocol's limits.
constexpr int kMaxMetrics = 8192;
constexpr std::int64_t kMaxTimeUs = 7'258'118'400LL * 1'000'000;  // The year 2200.
constexpr const char* kStackOverflow = "[more stacks than the agent keeps]";

}  // namespace

Recorder::Recorder(Spool& spool, std::int32_t rows_per_batch)
    : spool_(spool),
      rows_per_batch_(static_cast<std::size_t>(std::clamp(rows_per_batch, 1, 600))) {}

void Recorder::Declare(const model::Source& source) {
  const std::lock_guard lock(mutex_);
  source_names_[source.source_id] = source.name;
  Open& open = open_[source.source_id];
  const v1::Source message = KeepSendable(source, &open);
  absl::Status status = common::FromProto(message).status();
  if (status.ok() && message.metrics_size() == 0) {
    status = absl::InvalidArgumentError("no metric of it can be sent");
  }
  if (status.ok()) status = spool_.Declare(message);
  open.is_refused = !status.ok();
  if (open.is_refused) {
    Note(source.name, fmt::format("left out: {}", std::string(status.message())));
  }
}

v1::Source Recorder::KeepSendable(const model::Source& source, Open* open) {
  model::Source described = source;
  described.metrics.clear();
  v1::Source message;
  common::ToProto(described, &message);
  std::unordered_set<std::string> names;
  open->sent.clear();
  for (const model::Metric& metric : source.metrics) {
    v1::Metric sent;
    common::ToProto(metric, &sent);
    absl::Status status = common::FromProto(sent).status();
    if (status.ok() && !names.insert(metric.name).second) {
      status = absl::InvalidArgumentError("another metric has this name");
    }
    if (status.ok() && message.metrics_size() >= kMaxMetrics) {
      status = absl::InvalidArgumentError(fmt::format("a source has up to {}", kMaxMetrics));
    }
    if (status.ok()) {
      open->sent.push_back(message.metrics_size());
      *message.add_metrics() = std::move(sent);
      continue;
    }
    open->sent.push_back(-1);
    Note(source.name, fmt::format("metric {} left out: {}", parse::Quote(metric.name),
                                  std::string(status.message())));
  }
  open->metric_count = static_cast<std::size_t>(message.metrics_size());
  return message;
}

bool Recorder::MakeSendable(const Open& open, Row* row) {
  const std::int64_t time_us = row->time.time_since_epoch().count();
  if (time_us < 0 || time_us >= kMaxTimeUs) return false;
  for (std::size_t i = 0; i < row->doubles.size(); ++i) {
    if (std::isfinite(row->doubles[i])) continue;
    row->missing.resize(row->doubles.size());
    row->missing[i] = true;
  }
  if (open.metric_count == open.sent.size()) return true;
  Row kept{.time = row->time, .ints = {}, .doubles = {}, .missing = {}};
  const std::size_t width = std::max(row->ints.size(), row->doubles.size());
  for (std::size_t i = 0; i < std::min(width, open.sent.size()); ++i) {
    if (open.sent[i] < 0) continue;
    if (!row->ints.empty()) kept.ints.push_back(row->ints[i]);
    if (!row->doubles.empty()) kept.doubles.push_back(row->doubles[i]);
    if (!row->missing.empty()) kept.missing.push_back(row->missing[i]);
  }
  if (kept.ints.empty() && kept.doubles.empty()) return false;
  *row = std::move(kept);
  return true;
}

void Recorder::AddRow(std::int32_t source_id, Row row) {
  // Nothing was measured in this interval, nor perhaps before: then no source is declared yet.
  if (row.ints.empty() && row.doubles.empty()) return;
  const std::lock_guard lock(mutex_);
  Open& open = open_[source_id];
  if (open.is_refused) return;
  if (!MakeSendable(open, &row)) {
    Note(source_names_[source_id],
         "samples without a time from 1970 to 2199, or without any value "
         "that can be sent, left out");
    return;
  }
  open.rows.push_back(std::move(row));
  ++sample_count_;
  if (open.rows.size() >= rows_per_batch_ ||
      open.rows.size() * open.metric_count >= kMaxValuesPerBatch) {
    Seal(source_id, &open);
  }
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
  Open& open = open_[source_id];
  const std::int64_t begin_us = window.begin_time.time_since_epoch().count();
  if (open.is_refused) return;
  if (begin_us < 0 || begin_us >= kMaxTimeUs) {
    Note(source_names_[source_id], "stacks without a time from 1970 to 2199 left out");
    return;
  }
  v1::StackDictionary fresh;
  std::map<std::int32_t, std::int64_t> counts;  // Cleaned texts may be equal.
  for (const auto& [folded, count] : window.counts) {
    counts[StackIndex(CleanText(folded), &fresh)] += count;
  }
  if (fresh.folded_size() > 0) spool_.AddStacks(fresh);

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
  if (open.is_refused) return;
  if (const auto index = static_cast<std::size_t>(metric_index); index < open.sent.size()) {
    metric_index = open.sent[index];
  }
  if (metric_index < 0) return;
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
  Note(monitor, text);
}

void Recorder::Note(std::string_view monitor, std::string_view text) {
  std::string& note = notes_[std::string(monitor)];
  const std::string clean = CleanText(text);
  if (note.find(clean) != std::string::npos || note.ends_with(kMoreNotes)) return;
  // The server refuses an end with a longer note, and with it the run.
  if (note.size() + clean.size() > kMaxNoteBytes) {
    note += kMoreNotes;
    return;
  }
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
