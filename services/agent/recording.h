#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "services/agent/sample_sink.h"
#include "services/model/run.h"

namespace regressd::agent {

/// Forms of recordings that can be pushed.
enum class RecordingFormat { kVmstat, kProcVmstat, kPerfStat, kPerfScript, kFolded };

/// "vmstat", "proc-vmstat", "perf-stat", "perf-script", "folded".
std::string_view ToString(RecordingFormat format);
std::optional<RecordingFormat> ParseRecordingFormat(std::string_view text);

/// By its first lines; nullopt for something else.
std::optional<RecordingFormat> DetectFormat(std::string_view text);

/// What recordings do not say of themselves.
struct RecordingOptions {
  std::optional<RecordingFormat> format = {};  ///< Unset: detected.
  std::optional<model::Time> start_time = {};  ///< When a recording without times of its own began.
  std::string vmstat_command = {};             ///< "vmstat -n -S M 5": its -S, -y and delay.
  std::optional<absl::TimeZone> time_zone = {};  ///< Of printed local times; unset: UTC for perf
                                                 ///< stat, the header's word for vmstat.
  std::string event = "cpu-clock";               ///< Of folded stacks.
  std::chrono::milliseconds window{10'000};  ///< Of `perf script` samples gathered into one batch.
};

/// One recording, read whole.
struct Recording {
  std::string file;
  model::Source source;
  std::vector<Row> rows;                 ///< For sources of numbers.
  std::vector<StackWindow> stacks;       ///< For stacks; times from 0 when `floating`.
  bool floating = false;                 ///< Its times are offsets from an unknown beginning.
  std::optional<model::Time> file_time;  ///< When the file was last written.
  std::vector<std::string> problems;     ///< "file:line: ..."; what was refused or is odd.
};

/// Reads a file; ".xz" and ".gz" are unpacked by the tools xz and gzip. "-" is stdin. Readiness of
/// `interrupt_fd` ends the reading; -1: nothing does. Errors: NotFound, Unavailable; DataLoss when
/// xz finds damage; Cancelled when interrupted.
absl::StatusOr<std::string> ReadRecordingFile(const std::string& file, int interrupt_fd = -1);

/// Errors: InvalidArgument, naming the file, what is wrong and what to do, when there is no sample
/// in it or when it lacks what an option must say.
absl::StatusOr<Recording> ReadRecording(const std::string& file, std::string_view text,
                                        const RecordingOptions& options);

}  // namespace regressd::agent
