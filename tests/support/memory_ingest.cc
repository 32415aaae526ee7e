#include "tests/support/memory_ingest.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <optional>

#include "services/codec/block.h"
#include "storage/commit_rules.h"
#include "storage/storable_text.h"
#include "tests/support/copy_decoder.h"
#include "tests/support/memory_values.h"

namespace regressd::test {
namespace {

using storage::EncodedBatch;

absl::Status CheckSame(const StoredRun& known, const model::RunSpec& spec,
                       const model::Commit& commit) {
  if (known.run.spec.key.uuid != spec.key.uuid) {
    return absl::AlreadyExistsError(fmt::format("run id {} belongs to run {}, not {}",
                                                spec.key.run_id, known.run.spec.key.uuid,
                                                spec.key.uuid));
  }
  if (known.deleted) {
    return absl::FailedPreconditionError(fmt::format("run {} was deleted", spec.key.uuid));
  }
  if (known.axes_id != spec.axes.Id() || known.commit_id != commit.commit_id) {
    return absl::AlreadyExistsError(
        fmt::format("run {} was opened with other axes or another commit", spec.key.uuid));
  }
  return absl::OkStatus();
}

absl::Status CheckTexts(const model::RunSpec& spec) {
  for (const model::Axis& axis : spec.axes.list()) {
    for (const std::string* text : {&axis.key, &axis.value}) {
      if (auto status = storage::CheckStorable("axis", *text); !status.ok()) return status;
    }
  }
  for (const std::string& argument : spec.command) {
    if (auto status = storage::CheckStorable("command", argument); !status.ok()) return status;
  }
  return storage::CheckStorable("job", spec.job_toml);
}

bool HasEnded(const StoredRun& run) {
  return run.run.state == model::RunState::kComplete || run.run.state == model::RunState::kFailed;
}

absl::Status Fenced(std::int64_t run_id) {
  return absl::AbortedError(fmt::format("a newer stream of run {} took over", run_id));
}

absl::Status CheckExtends(const model::Source& known, const model::Source& source) {
  const bool same = known.name == source.name && known.content == source.content;
  const std::size_t common = std::min(known.metrics.size(), source.metrics.size());
  if (same &&
      std::equal(known.metrics.begin(), known.metrics.begin() + static_cast<std::ptrdiff_t>(common),
                 source.metrics.begin())) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("source {} contradicts what was declared of it before", source.source_id));
}

absl::Status CheckNames(const model::Source& source) {
  std::set<std::string> names;
  for (const model::Metric& metric : source.metrics) {
    if (auto status = storage::CheckStorable("metric", metric.name); !status.ok()) return status;
    if (!names.insert(metric.name).second) {
      return absl::InvalidArgumentError(
          fmt::format("source {} has metric {} twice", source.source_id, metric.name));
    }
  }
  return storage::CheckStorable("source", source.name);
}

absl::Status PutSamples(const EncodedBatch& batch, StoredSource* source) {
  auto rows = DecodeSampleTuples(batch.tuples);
  if (!rows.ok()) return rows.status();
  for (SampleTuple& row : *rows) {
    source->rows[row.seq] = {
        .time = row.time,
        .ints = row.ints ? std::move(*row.ints) : std::vector<std::optional<std::int64_t>>{},
        .reals = row.reals ? std::move(*row.reals) : std::vector<std::optional<double>>{}};
  }
  return absl::OkStatus();
}

/// The one value of a block, where it has one.
template <typename T>
std::optional<T> ValueAt(const codec::Columns& columns, std::size_t at) {
  if (!columns.missing.empty() && columns.missing[at] != 0) return std::nullopt;
  return std::bit_cast<T>(columns.values[at]);
}

absl::Status PutBlocks(const EncodedBatch& batch, StoredSource* source) {
  const auto blocks = DecodeBlockTuples(batch.tuples);
  if (!blocks.ok()) return blocks.status();
  for (const BlockTuple& block : *blocks) {
    const auto sample_count = static_cast<std::size_t>(block.sample_count);
    const auto metric_count = static_cast<std::size_t>(block.metric_count);
    codec::Columns columns;
    const auto decoded =
        codec::DecodeBlock({.sample_count = sample_count,
                            .metric_count = metric_count,
                            .begin_us = block.begin_time.time_since_epoch().count(),
                            .period_us = block.period_us},
                           block.payload, &columns);
    if (!decoded.ok()) return decoded;
    for (std::size_t i = 0; i < sample_count; ++i) {
      StoredRow& row = source->rows[block.seq + static_cast<std::int64_t>(i)];
      row.time = model::Time(std::chrono::microseconds(columns.times_us[i]));
      for (std::size_t metric = 0; metric < metric_count; ++metric) {
        const std::size_t at = metric * sample_count + i;
        if (source->source.content == model::SourceContent::kIntSamples) {
          row.ints.push_back(ValueAt<std::int64_t>(columns, at));
        } else {
          row.reals.push_back(ValueAt<double>(columns, at));
        }
      }
    }
  }
  return absl::OkStatus();
}

absl::Status PutStacks(const EncodedBatch& batch, StoredSource* source) {
  const auto rows = DecodeStackTuples(batch.tuples);
  if (!rows.ok()) return rows.status();
  for (const StackTuple& row : *rows) {
    StoredStacks& stacks = source->stacks[row.seq];
    stacks.begin_time = row.begin_time;
    stacks.counts.emplace_back(row.stack_hash, row.count);
  }
  return absl::OkStatus();
}

absl::Status PutObservations(const EncodedBatch& batch, StoredSource* source) {
  auto rows = DecodeObservationTuples(batch.tuples);
  if (!rows.ok()) return rows.status();
  for (ObservationTuple& row : *rows) {
    source->observations[row.seq] = {.metric_index = static_cast<std::size_t>(row.ord - 1),
                                     .values = std::move(row.values)};
  }
  return absl::OkStatus();
}

absl::Status Put(const EncodedBatch& batch, StoredSource* source) {
  switch (batch.kind) {
    case EncodedBatch::Kind::kSamples:
      return PutSamples(batch, source);
    case EncodedBatch::Kind::kBlocks:
      return PutBlocks(batch, source);
    case EncodedBatch::Kind::kStacks:
      return PutStacks(batch, source);
    case EncodedBatch::Kind::kObservations:
      return PutObservations(batch, source);
    case EncodedBatch::Kind::kGap:
      source->gap_count += batch.last_seq - batch.first_seq + 1;
      return absl::OkStatus();
  }
  return absl::InternalError("batch of no kind");
}

}  // namespace

absl::StatusOr<storage::OpenedRun> MemoryIngestStore::OpenRun(const model::RunSpec& spec,
                                                              std::string_view created_by) {
  if (auto status = CheckTexts(spec); !status.ok()) return status;
  const auto normal = storage::NormalCommit(spec.commit);
  if (!normal.ok()) return normal.status();
  const std::lock_guard lock(state_.mutex);
  if (!state_.failure.ok()) return OwnStatus(state_.failure);
  const auto commit = state_.ResolveRunCommit(*normal, spec.key.run_id);
  if (!commit.ok()) return commit.status();
  const auto [place, is_new] = state_.runs.try_emplace(spec.key.run_id);
  StoredRun& run = place->second;
  if (is_new) {
    run.run.spec = spec;
    run.run.create_time = state_.clock.Now();
    run.run.created_by = created_by;
    run.axes_id = spec.axes.Id();
    run.commit_id = commit->commit_id;
    state_.axes.try_emplace(run.axes_id, spec.axes);
    if (const std::string note = state_.MergeIn(*commit); !note.empty()) {
      run.run.spec.monitor_notes[storage::kParentsNote] = note;
    }
    state_.groups.try_emplace({run.axes_id, run.commit_id},
                              StoredGroup{state_.clock.Now(), std::nullopt});
  } else if (auto status = CheckSame(run, spec, *commit); !status.ok()) {
    return status;
  }
  if (!HasEnded(run)) ++run.epoch;
  storage::OpenedRun opened{.epoch = run.epoch, .state = run.run.state, .cursors = {}};
  for (const auto& [source_id, source] : run.sources) {
    opened.cursors.push_back({source_id, source.last_seq});
  }
  return opened;
}

absl::StatusOr<std::int64_t> MemoryIngestStore::DeclareSource(std::int64_t run_id,
                                                              std::int64_t epoch,
                                                              const model::Source& source) {
  if (auto status = CheckNames(source); !status.ok()) return status;
  const std::lock_guard lock(state_.mutex);
  if (!state_.failure.ok()) return OwnStatus(state_.failure);
  StoredRun* run = state_.FindRun(run_id);
  if (run == nullptr || (!HasEnded(*run) && run->epoch != epoch)) return Fenced(run_id);
  const auto [place, is_new] = run->sources.try_emplace(source.source_id);
  StoredSource& stored = place->second;
  if (is_new) stored.source = source;
  if (auto status = CheckExtends(stored.source, source); !status.ok()) return status;
  if (source.metrics.size() > stored.source.metrics.size()) stored.source = source;
  return stored.last_seq;
}

absl::Status MemoryIngestStore::AddStacks(std::int64_t run_id,
                                          std::span<const std::string> folded) {
  for (const std::string& text : folded) {
    if (auto status = storage::CheckStorable("stack", text); !status.ok()) return status;
  }
  const std::lock_guard lock(state_.mutex);
  if (!state_.failure.ok()) return OwnStatus(state_.failure);
  StoredRun* run = state_.FindRun(run_id);
  if (run == nullptr) return MemoryState::NoRun();
  for (const std::string& text : folded) run->folded.try_emplace(model::Hash63(text), text);
  return absl::OkStatus();
}

absl::Status MemoryIngestStore::CommitBatches(std::span<const storage::EncodedBatch> batches) {
  const std::lock_guard lock(state_.mutex);
  if (!state_.failure.ok()) return OwnStatus(state_.failure);
  std::map<std::pair<std::int64_t, std::int32_t>, StoredSource> after;  // All or nothing.
  for (const storage::EncodedBatch& batch : batches) {
    StoredRun* run = state_.FindRun(batch.run_id);
    if (run == nullptr || run->epoch != batch.epoch) return Fenced(batch.run_id);
    const auto known = run->sources.find(batch.source_id);
    if (known == run->sources.end()) return Fenced(batch.run_id);
    StoredSource& source =
        after.try_emplace({batch.run_id, batch.source_id}, known->second).first->second;
    if (batch.first_seq != source.last_seq + 1) {
      return absl::AbortedError(fmt::format("source {} of run {} stands at {}, not before {}",
                                            batch.source_id, batch.run_id, source.last_seq,
                                            batch.first_seq));
    }
    if (auto status = Put(batch, &source); !status.ok()) return status;
    source.last_seq = batch.last_seq;
  }
  for (auto& [key, source] : after) {
    state_.runs.at(key.first).sources.at(key.second) = std::move(source);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<storage::IngestStore::CursorState>> MemoryIngestStore::ReadCursors(
    std::span<const std::int64_t> run_ids) {
  const std::lock_guard lock(state_.mutex);
  if (!state_.failure.ok()) return OwnStatus(state_.failure);
  std::vector<CursorState> cursors;
  for (const std::int64_t run_id : run_ids) {
    const StoredRun* run = state_.FindRun(run_id);
    if (run == nullptr) continue;
    for (const auto& [source_id, source] : run->sources) {
      cursors.push_back({run_id, source_id, run->epoch, source.last_seq});
    }
  }
  return cursors;
}

absl::StatusOr<model::RunState> MemoryIngestStore::EndRun(std::int64_t run_id, std::int64_t epoch,
                                                          const model::RunOutcome& outcome) {
  const std::lock_guard lock(state_.mutex);
  if (!state_.failure.ok()) return OwnStatus(state_.failure);
  StoredRun* run = state_.FindRun(run_id);
  if (run == nullptr) return Fenced(run_id);
  if (HasEnded(*run)) return run->run.state;
  if (run->epoch != epoch) return Fenced(run_id);
  const storage::ReducedValues reduced = ReduceRun(*run);
  run->run.state = outcome.failed() ? model::RunState::kFailed : model::RunState::kComplete;
  run->run.outcome = reduced.WithNotes(outcome);
  // Notes are kept in one place: what is said at the end replaces what was said before.
  for (const auto& [name, note] : run->run.outcome->monitor_notes) {
    run->run.spec.monitor_notes[name] = note;
  }
  run->run.outcome->monitor_notes.clear();
  for (const auto& [name, value] : reduced.values()) {
    storage::RunValue& added =
        run->values.emplace_back(storage::RunValue{value.metric, value.value, value.sample_count});
    added.metric.scale = 1;  // The value is in the metric's unit already.
  }
  if (run->run.state == model::RunState::kComplete) state_.Queue(run_id);
  return run->run.state;
}

}  // namespace regressd::test
