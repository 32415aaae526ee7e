#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/model/run.h"

namespace regressd::agent {

/// The sources of a run have fixed numbers, so that every stream of it says the same.
enum SourceId : std::int32_t {
  kProcSource = 1,
  kVmstatSource = 2,
  kPerfStatSource = 3,
  kPerfRecordSource = 4,
  kResultSource = 5,
  kObservationSource = 6,
  kKernelLogSource = 7,
  kPerfLockSource = 8,
  kReaderObservationSource = 9,
};

/// One sample of every metric of a source.
struct Row {
  model::Time time;
  std::vector<std::int64_t> ints;  ///< One a metric; for sources of integers.
  std::vector<double> doubles;     ///< One a metric; for sources of doubles.
  std::vector<bool> missing;       ///< Empty when nothing is; else one a metric.
};

/// Call stacks counted over one window of time.
struct StackWindow {
  model::Time begin_time;
  std::chrono::microseconds duration{0};
  /// Folded text (root first, ';' between frames) and samples, each at least 1; a text stands once.
  std::vector<std::pair<std::string, std::int64_t>> counts;
};

/// Where monitors put what they saw. Thread-safe. Nothing fails: what cannot be kept is recorded as
/// a gap.
class SampleSink {
 public:
  virtual ~SampleSink() = default;

  /// Before the first sample of a source; again with a longer list when metrics appear.
  virtual void Declare(const model::Source& source) = 0;

  /// The row has as many values as the source has metrics.
  virtual void AddRow(std::int32_t source_id, Row row) = 0;

  virtual void AddStacks(std::int32_t source_id, const StackWindow& window) = 0;

  virtual void AddObservations(std::int32_t source_id, std::int32_t metric_index,
                               std::span<const double> values) = 0;

  /// Something that the reader of the run should know of a monitor: "died: exit status 1".
  virtual void AddNote(std::string_view monitor, std::string_view text) = 0;
};

}  // namespace regressd::agent
