#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "services/analysis/profile_shares.h"
#include "services/model/metric.h"
#include "services/model/run.h"

namespace regressd::storage {

struct ReducedValue {
  model::Metric metric;
  double value = 0;
  std::int64_t sample_count = 0;
};

/// The run values of one run as its sources are reduced, and what a reader must know of those that
/// it will not find. One thread.
class ReducedValues {
 public:
  /// Takes a value of a source; sources come by their id. A metric has the value of the first
  /// source that has one. A value that is infinite, beyond what a double holds, is none.
  void Add(std::int32_t source_id, std::string_view source_name, const model::Metric& metric,
           double value, std::int64_t sample_count);

  /// The shares of a profile. `declared` is the one metric of its source, which names the event.
  void AddProfile(std::int32_t source_id, std::string_view source_name,
                  const model::Metric& declared, const analysis::ProfileShares& profile);

  /// By metric name.
  const std::map<std::string, ReducedValue>& values() const { return values_; }

  /// The outcome with what was left out said in a monitor note of its own.
  model::RunOutcome WithNotes(model::RunOutcome outcome) const;

 private:
  void Note(std::string text);

  std::map<std::string, ReducedValue> values_;
  std::map<std::string, std::string> origins_;  ///< "source 1 (vmstat)", by metric name.
  std::vector<std::string> notes_;              ///< The first some.
  std::size_t note_count_ = 0;
};

}  // namespace regressd::storage
