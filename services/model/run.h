#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "services/model/axes.h"
#include "services/model/commit.h"
#include "services/model/metric.h"
#include "services/model/time.h"

namespace regressd::model {

/// A run's UUID in lower case with dashes, and the 63 bits of it that are its key in every table.
struct RunKey {
  std::string uuid;
  std::int64_t run_id = 0;  ///< Above 0.

  friend bool operator==(const RunKey&, const RunKey&) = default;
};

/// Reads "8-4-4-4-12" hex digits in either case. run_id is the XOR of both halves without the sign bit, so that the
/// fixed version and variant bits of a random UUID cost nothing. nullopt when malformed or when run_id would be 0.
std::optional<RunKey> ParseRunUuid(std::string_view text);

/// What a run ran on. Empty where the agent could not find it out.
struct MachineFacts {
  std::string testbox;
  std::string boot_id;
  std::string kernel_release;
  std::string kernel_version;
  std::string kernel_cmdline;
  std::string cpu_model;
  std::int32_t socket_count = 0;
  std::int32_t cpu_count = 0;
  std::int64_t memory_size_bytes = 0;
  std::string microcode;
  std::vector<std::string> swap_devices;
  std::map<std::string, std::string> tool_versions;
  std::map<std::string, std::string> settings;

  friend bool operator==(const MachineFacts&, const MachineFacts&) = default;
};

enum class RunState { kOpen, kComplete, kFailed, kIncomplete };

/// "open", "complete", "failed", "incomplete".
std::string_view ToString(RunState state);
bool FromString(std::string_view text, RunState* out);

/// What an agent says of a run when it opens it.
struct RunSpec {
  RunKey key;
  Axes axes;  ///< Has testcase and tbox_group.
  Commit commit;
  MachineFacts facts;
  Time start_time;
  std::vector<std::string> command;
  std::string job_toml;
  std::string agent_version;
  std::map<std::string, std::string> monitor_notes;  ///< What could not be measured, and why.
};

/// How a run ended.
struct RunOutcome {
  Time end_time;
  std::int32_t exit_status = 0;  ///< -1: killed by a signal, or never started.
  std::int32_t term_signal = 0;
  std::vector<std::string> last_output_lines;
  std::map<std::string, std::string> monitor_notes;
  std::string failure;  ///< Why it failed although the command exited 0.

  bool failed() const { return exit_status != 0 || term_signal != 0 || !failure.empty(); }
};

/// The load just before a run, from its facts: the one-minute average, or how many other tasks were
/// running at that moment, whichever is less, since the average remembers the run before and a
/// moment may be an accident. Unset when the facts do not have it.
std::optional<double> LoadBefore(const MachineFacts& facts);

/// How busy a machine was when a run started.
struct StartLoad {
  std::string run_uuid;
  double load = 0;  ///< As LoadBefore.
  std::int32_t cpu_count = 0;

  friend bool operator==(const StartLoad&, const StartLoad&) = default;
};

/// Something that a comparison had to leave out, and why.
struct LeftOut {
  std::string name;  ///< "run 0a1b...", "metric vmstat.swap.so".
  std::string reason;

  friend bool operator==(const LeftOut&, const LeftOut&) = default;
};

/// What the batches of a source hold.
enum class SourceContent { kIntSamples, kDoubleSamples, kStacks, kObservations };

/// "int", "double", "stacks", "observations".
std::string_view ToString(SourceContent content);
bool FromString(std::string_view text, SourceContent* out);

/// A stream of numbers with one clock and one dictionary.
struct Source {
  std::int32_t source_id = 0;  ///< 1 to 1000.
  std::string name;
  SourceContent content = SourceContent::kIntSamples;
  std::vector<Metric> metrics;  ///< Column k of a batch is metric k. Append only.
  std::int64_t period_us = 0;
};

/// What is stored of one source.
struct SourceInfo {
  std::int32_t source_id = 0;
  std::string name;
  SourceContent content = SourceContent::kIntSamples;
  std::int64_t last_seq = 0;
  std::int32_t metric_count = 0;
  std::int64_t gap_count = 0;  ///< Sequence numbers declared lost.
};

/// A run as stored.
struct Run {
  RunSpec spec;
  RunState state = RunState::kOpen;
  std::optional<RunOutcome> outcome;
  Time create_time;
  std::string created_by;
  std::string exclude_reason;  ///< Not empty: taken out of every comparison.
  std::string excluded_by;
  std::vector<SourceInfo> sources;
};

}  // namespace regressd::model
