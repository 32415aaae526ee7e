#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "services/agent/sample_sink.h"

namespace regressd::agent::testing {

/// Keeps all it is given. Thread-safe; read the members once the monitor has stopped.
class RecordingSink : public SampleSink {
 public:
  void Declare(const model::Source& source) override {
    const std::lock_guard lock(mutex_);
    sources[source.source_id] = source;
  }
  void AddRow(std::int32_t source_id, Row row) override {
    const std::lock_guard lock(mutex_);
    rows[source_id].push_back(std::move(row));
    changed_.notify_all();
  }
  void AddStacks(std::int32_t /*source_id*/, const StackWindow& window) override {
    const std::lock_guard lock(mutex_);
    windows.push_back(window);
    changed_.notify_all();
  }
  void AddObservations(std::int32_t /*source_id*/, std::int32_t metric_index,
                       std::span<const double> values) override {
    const std::lock_guard lock(mutex_);
    observations[metric_index].insert(observations[metric_index].end(), values.begin(),
                                      values.end());
  }
  void AddNote(std::string_view monitor, std::string_view text) override {
    const std::lock_guard lock(mutex_);
    notes.push_back(std::string(monitor) + ": " + std::string(text));
    changed_.notify_all();
  }

  void WaitForRows(std::int32_t source_id, std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return rows[source_id].size() >= count; });
  }
  /// Returns its name.
  std::string WaitForMetric(std::int32_t source_id, std::string_view name_begin) {
    std::string name;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      for (const model::Metric& metric : sources[source_id].metrics) {
        if (metric.name.starts_with(name_begin)) name = metric.name;
      }
      return !name.empty();
    });
    return name;
  }
  void WaitForNotes(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return notes.size() >= count; });
  }

  /// The values of one metric, in order; those missing are left out.
  std::vector<std::int64_t> Ints(std::int32_t source_id, const std::string& metric) const {
    std::vector<std::int64_t> values;
    const std::vector<model::Metric>& metrics = sources.at(source_id).metrics;
    for (const Row& row : rows.at(source_id)) {
      for (std::size_t i = 0; i < row.ints.size(); ++i) {
        if (metrics[i].name != metric) continue;
        if (row.missing.empty() || !row.missing[i]) values.push_back(row.ints[i]);
      }
    }
    return values;
  }

  std::map<std::int32_t, model::Source> sources;
  std::map<std::int32_t, std::vector<Row>> rows;
  std::vector<StackWindow> windows;
  std::map<std::int32_t, std::vector<double>> observations;
  std::vector<std::string> notes;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace regressd::agent::testing
