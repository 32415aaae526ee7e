#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "services/model/profile_name.h"
#include "storage/near_names.h"
#include "storage/row_codec.h"
#include "storage/run_prefix.h"
#include "tests/support/memory_state.h"
#include "tests/support/memory_store.h"

namespace regressd::test {
namespace {

bool Matches(const StoredRun& stored, const model::Axes& axes, const storage::RunFilter& filter) {
  return !stored.deleted && axes.Contains(filter.axes) &&
         (!filter.commit_id || stored.commit_id == *filter.commit_id) &&
         (!filter.testbox || stored.run.spec.facts.testbox == *filter.testbox) &&
         (!filter.state || stored.run.state == *filter.state);
}

bool InRange(model::Time time, const storage::TimeRange& range) {
  return (!range.begin || time >= *range.begin) && (!range.end || time < *range.end);
}

bool HoldsSamples(const StoredSource& source) {
  return source.source.content == model::SourceContent::kIntSamples ||
         source.source.content == model::SourceContent::kDoubleSamples;
}

storage::Sample SampleOf(std::int64_t seq, const StoredRow& row, std::size_t column,
                         const model::Metric& metric) {
  storage::Sample sample;
  sample.time = row.time;
  sample.seq = seq;
  if (column < row.ints.size() && row.ints[column]) {
    sample.stored_int = row.ints[column];
    sample.value = storage::StoredValue(*row.ints[column], metric);
  } else if (column < row.reals.size()) {
    sample.value = row.reals[column];
  }
  return sample;
}

storage::SamplePart PartOf(const StoredSource& source, std::size_t column,
                           const storage::TimeRange& range) {
  storage::SamplePart part;
  part.metric = source.source.metrics[column];
  part.source_id = source.source.source_id;
  for (const auto& [seq, row] : source.rows) {
    if (InRange(row.time, range)) {
      part.samples.push_back(SampleOf(seq, row, column, part.metric));
    }
  }
  return part;
}

std::string EventOf(const StoredSource& source) {
  const auto& metrics = source.source.metrics;
  return std::string(model::ProfileEvent(metrics.empty() ? source.source.name : metrics[0].name));
}

absl::Status NoMetric(const StoredRun& run, std::string_view what,
                      std::span<const std::string> wanted, const std::vector<std::string>& known) {
  return absl::NotFoundError(fmt::format(
      "run {} has no {} of {}{}", run.run.spec.key.uuid, what, wanted.empty() ? "" : wanted.front(),
      wanted.empty() ? "" : storage::NearNamesHint(wanted.front(), known)));
}

model::RunGroup GroupOf(std::vector<const StoredRun*> members) {
  std::sort(members.begin(), members.end(), [](const StoredRun* a, const StoredRun* b) {
    return std::tuple(a->run.spec.start_time, a->run.spec.key.run_id) <
           std::tuple(b->run.spec.start_time, b->run.spec.key.run_id);
  });
  model::RunGroup group;
  std::map<std::string, model::MetricValues> metrics;
  for (const StoredRun* run : members) {
    if (!run->run.exclude_reason.empty()) {
      ++group.excluded_run_count;
    } else if (!run->counts()) {
      ++group.failed_run_count;
    } else {
      const auto index = static_cast<std::int32_t>(group.runs.size());
      if (index == 0) {
        group.facts = run->run.spec.facts;
        group.command = run->run.spec.command;
        group.job_toml = run->run.spec.job_toml;
      }
      if (const auto load = model::LoadBefore(run->run.spec.facts)) {
        group.start_loads.push_back({run->run.spec.key.uuid, *load, run->run.spec.facts.cpu_count});
      }
      group.runs.push_back(run->run.spec.key);
      for (const storage::RunValue& value : run->values) {
        auto& values = metrics.try_emplace(value.metric.name).first->second;
        if (values.values.empty()) values.metric = value.metric;
        values.values.push_back(value.value);
        values.run_index.push_back(index);
      }
    }
  }
  for (auto& [name, values] : metrics) group.metrics.push_back(std::move(values));
  return group;
}

}  // namespace

absl::StatusOr<model::Run> MemoryStore::GetRun(std::string_view uuid_or_prefix) {
  const auto prefix = storage::NormalRunPrefix(uuid_or_prefix);
  if (!prefix.ok()) return prefix.status();
  const std::lock_guard lock(state_->mutex);
  if (!state_->failure.ok()) return OwnStatus(state_->failure);
  std::vector<std::string> uuids;
  const StoredRun* found = nullptr;
  for (const auto& [run_id, stored] : state_->runs) {
    if (stored.deleted || !stored.run.spec.key.uuid.starts_with(*prefix)) continue;
    uuids.push_back(stored.run.spec.key.uuid);
    found = &stored;
  }
  if (auto status = storage::CheckOneRun(uuid_or_prefix, uuids); !status.ok()) return status;
  return state_->Assemble(*found);
}

absl::StatusOr<std::vector<storage::ListedRun>> MemoryStore::ListRuns(
    const storage::RunFilter& filter, std::optional<storage::RunPosition> after,
    std::int32_t limit) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->failure.ok()) return OwnStatus(state_->failure);
  std::vector<model::Run> runs;
  for (const auto& [run_id, stored] : state_->runs) {
    if (!Matches(stored, state_->axes.at(stored.axes_id), filter)) continue;
    if (after && std::tuple(stored.run.create_time, run_id) >=
                     std::tuple(after->create_time, after->run_id)) {
      continue;
    }
    runs.push_back(state_->Assemble(stored));
  }
  std::sort(runs.begin(), runs.end(), [](const model::Run& a, const model::Run& b) {
    return std::tuple(a.create_time, a.spec.key.run_id) >
           std::tuple(b.create_time, b.spec.key.run_id);
  });
  if (runs.size() > static_cast<std::size_t>(limit)) runs.resize(static_cast<std::size_t>(limit));
  std::vector<storage::ListedRun> listed;
  for (model::Run& run : runs) {
    listed.push_back({.position = {run.create_time, run.spec.key.run_id},
                      .name = "run " + run.spec.key.uuid,
                      .noun = std::move(run)});
  }
  return listed;
}

absl::StatusOr<std::vector<storage::ListedRunValue>> MemoryStore::ListRunValues(
    std::int64_t run_id) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->failure.ok()) return OwnStatus(state_->failure);
  const StoredRun* run = state_->FindRun(run_id);
  if (run == nullptr) return MemoryState::NoRun();
  std::vector<storage::ListedRunValue> listed;
  for (const storage::RunValue& value : run->values) {
    listed.push_back(
        {.position = value.metric.name, .name = "metric " + value.metric.name, .noun = value});
  }
  return listed;
}

absl::Status MemoryStore::ReadSamples(
    std::int64_t run_id, std::span<const std::string> metrics, const storage::TimeRange& range,
    const std::function<absl::Status(storage::SamplePart)>& take) {
  std::vector<storage::SamplePart> parts;
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->failure.ok()) return OwnStatus(state_->failure);
    const StoredRun* run = state_->FindRun(run_id);
    if (run == nullptr) return MemoryState::NoRun();
    std::vector<std::string> known;
    bool found = false;
    for (const auto& [source_id, source] : run->sources) {
      if (!HoldsSamples(source)) continue;
      for (std::size_t column = 0; column < source.source.metrics.size(); ++column) {
        const std::string& name = source.source.metrics[column].name;
        known.push_back(name);
        if (std::find(metrics.begin(), metrics.end(), name) == metrics.end()) continue;
        found = true;
        parts.push_back(PartOf(source, column, range));
      }
    }
    if (!found) return NoMetric(*run, "samples", metrics, known);
  }
  for (storage::SamplePart& part : parts) {
    if (part.samples.empty()) continue;
    if (auto status = take(std::move(part)); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<storage::StackCount>> MemoryStore::ReadStacks(
    std::int64_t run_id, const storage::TimeRange& range) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->failure.ok()) return OwnStatus(state_->failure);
  const StoredRun* run = state_->FindRun(run_id);
  if (run == nullptr) return MemoryState::NoRun();
  std::map<std::pair<std::string, std::string>, std::int64_t> sums;
  for (const auto& [source_id, source] : run->sources) {
    for (const auto& [seq, stacks] : source.stacks) {
      if (!InRange(stacks.begin_time, range)) continue;
      for (const auto& [hash, count] : stacks.counts) {
        const auto folded = run->folded.find(hash);
        if (folded != run->folded.end()) sums[{EventOf(source), folded->second}] += count;
      }
    }
  }
  std::vector<storage::StackCount> counts;
  for (const auto& [key, count] : sums) counts.push_back({key.first, key.second, count});
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.count > b.count; });
  return counts;
}

absl::Status MemoryStore::ReadObservations(
    std::int64_t run_id, std::string_view metric,
    const std::function<absl::Status(const model::Metric&, std::vector<double>)>& take) {
  std::vector<std::pair<model::Metric, std::vector<double>>> parts;
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->failure.ok()) return OwnStatus(state_->failure);
    const StoredRun* run = state_->FindRun(run_id);
    if (run == nullptr) return MemoryState::NoRun();
    std::vector<std::string> known;
    for (const auto& [source_id, source] : run->sources) {
      if (source.source.content != model::SourceContent::kObservations) continue;
      for (const model::Metric& declared : source.source.metrics) known.push_back(declared.name);
      for (const auto& [seq, observations] : source.observations) {
        const model::Metric& declared = source.source.metrics[observations.metric_index];
        if (declared.name == metric) parts.emplace_back(declared, observations.values);
      }
    }
    if (parts.empty()) {
      const std::string wanted[] = {std::string(metric)};
      return NoMetric(*run, "observations", wanted, known);
    }
  }
  for (auto& [declared, values] : parts) {
    if (auto status = take(declared, std::move(values)); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<storage::ExcludeOutcome> MemoryStore::Exclude(std::int64_t run_id,
                                                             std::string_view reason,
                                                             std::string_view excluded_by) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->failure.ok()) return OwnStatus(state_->failure);
  StoredRun* run = state_->FindRun(run_id);
  if (run == nullptr) return MemoryState::NoRun();
  if (!run->run.exclude_reason.empty()) return storage::ExcludeOutcome::kAlreadyExcluded;
  if (auto status = storage::CheckExclusion(reason, excluded_by); !status.ok()) return status;
  const bool counted = run->counts();
  run->run.exclude_reason = reason;
  run->run.excluded_by = excluded_by;
  if (counted) state_->Queue(run_id);
  return storage::ExcludeOutcome::kExcluded;
}

absl::StatusOr<std::vector<model::RunGroup>> MemoryStore::LoadGroups(
    const storage::GroupFilter& filter) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->failure.ok()) return OwnStatus(state_->failure);
  std::map<std::pair<std::string, std::string>, std::vector<const StoredRun*>> members;
  for (const auto& [run_id, stored] : state_->runs) {
    const model::Axes& axes = state_->axes.at(stored.axes_id);
    const bool named = std::find(filter.commit_ids.begin(), filter.commit_ids.end(),
                                 stored.commit_id) != filter.commit_ids.end();
    if (!named || stored.deleted || stored.run.state == model::RunState::kOpen) continue;
    if (!axes.Contains(filter.axes) || (filter.axes_id && stored.axes_id != *filter.axes_id)) {
      continue;
    }
    members[{axes.Canonical(), stored.commit_id}].push_back(&stored);
  }
  std::vector<model::RunGroup> groups;
  for (const auto& [key, runs] : members) {
    groups.push_back(GroupOf(runs));
    groups.back().axes = state_->axes.at(runs.front()->axes_id);
    groups.back().commit = state_->CommitOf(key.second);
  }
  return groups;
}

}  // namespace regressd::test
