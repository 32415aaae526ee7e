#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "services/agent/sample_sink.h"
#include "services/agent/spool.h"

namespace regressd::agent {

/// Numbers the samples of a run, seals them into batches and puts those into its spool. What every
/// server would refuse (a metric whose name is not UTF-8, a time before 1970) must not cost the
/// run: it is left out alone, with a note. Thread-safe.
class Recorder : public SampleSink {
 public:
  /// A batch is sealed at `rows_per_batch` samples, 1 to 600.
  Recorder(Spool& spool, std::int32_t rows_per_batch);

  void Declare(const model::Source& source) override;
  void AddRow(std::int32_t source_id, Row row) override;
  void AddStacks(std::int32_t source_id, const StackWindow& window) override;
  void AddObservations(std::int32_t source_id, std::int32_t metric_index,
                       std::span<const double> values) override;
  void AddNote(std::string_view monitor, std::string_view text) override;

  /// Seals what is left.
  void Flush();

  /// What AddNote was given, several texts of one monitor joined by "; ".
  std::map<std::string, std::string> notes() const;
  /// Samples of all sources.
  std::int64_t sample_count() const;
  /// Metrics declared over all sources.
  std::int64_t metric_count() const;

 private:
  struct Open {
    std::int64_t next_seq = 1;
    std::vector<Row> rows;
    std::size_t metric_count = 0;    ///< As sent.
    std::vector<std::int32_t> sent;  ///< By declared metric: its number as sent, or -1.
    bool is_refused = false;         ///< The source as a whole: nothing of it is sent.
  };

  v1::Source KeepSendable(const model::Source& source, Open* open);
  bool MakeSendable(const Open& open, Row* row);
  void Note(std::string_view monitor, std::string_view text);
  void Seal(std::int32_t source_id, Open* open);
  std::int32_t StackIndex(const std::string& folded, v1::StackDictionary* fresh);

  Spool& spool_;
  const std::size_t rows_per_batch_;
  mutable std::mutex mutex_;
  std::map<std::int32_t, Open> open_;
  std::unordered_map<std::string, std::int32_t> stack_indexes_;
  std::size_t stack_bytes_ = 0;
  std::map<std::string, std::string> notes_;
  std::map<std::int32_t, std::string> source_names_;
  std::int64_t sample_count_ = 0;
};

}  // namespace regressd::agent
