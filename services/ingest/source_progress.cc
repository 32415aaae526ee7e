#include "services/ingest/source_progress.h"

#include <fmt/format.h>

namespace regressd::ingest {

void SourceProgress::Declare(const model::Source& source, std::int64_t last_seq) {
  const auto [place, is_new] = sources_.try_emplace(source.source_id);
  State& state = place->second;
  if (is_new) state.taken = state.stored = last_seq;
  if (is_new || source.metrics.size() > state.source.metrics.size()) state.source = source;
}

const model::Source* SourceProgress::Find(std::int32_t source_id) const {
  const auto found = sources_.find(source_id);
  return found == sources_.end() ? nullptr : &found->second.source;
}

std::size_t SourceProgress::CountMetricsBeside(std::int32_t source_id) const {
  std::size_t count = 0;
  for (const auto& [id, state] : sources_) {
    if (id != source_id) count += state.source.metrics.size();
  }
  return count;
}

absl::StatusOr<SourceProgress::Place> SourceProgress::Locate(std::int32_t source_id,
                                                             SeqRange range) {
  State& state = sources_.at(source_id);
  if (range.first == state.taken + 1) return Place::kNext;
  if (range.first > state.taken) {
    return absl::OutOfRangeError(
        fmt::format("source {}: number {} follows {}, so {} is skipped; say Hello again and resume "
                    "there, or send a Gap",
                    source_id, range.first, state.taken, state.taken + 1));
  }
  if (range.last > state.taken) {
    return absl::InvalidArgumentError(fmt::format(
        "source {}: numbers {} to {} straddle {}, the last that was taken; send the same batches "
        "again that were sent before",
        source_id, range.first, range.last, state.taken));
  }
  if (range.last <= state.stored) due_.insert(source_id);
  return Place::kTaken;
}

void SourceProgress::Take(std::int32_t source_id, std::int64_t last_seq, Instant received) {
  State& state = sources_.at(source_id);
  state.taken = last_seq;
  state.waiting.emplace_back(last_seq, received);
}

void SourceProgress::Store(std::int32_t source_id, std::int64_t last_seq) {
  State& state = sources_.at(source_id);
  state.stored = std::max(state.stored, last_seq);
  due_.insert(source_id);
}

bool SourceProgress::AllStored() const {
  return std::all_of(sources_.begin(), sources_.end(),
                     [](const auto& entry) { return entry.second.stored >= entry.second.taken; });
}

SourceProgress::Ack SourceProgress::NextAck() {
  const std::int32_t source_id = *due_.begin();
  due_.erase(due_.begin());
  return {source_id, sources_.at(source_id).stored};
}

}  // namespace regressd::ingest
