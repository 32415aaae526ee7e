#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/parse/problem.h"

namespace regressd::parse {

struct PerfFrame {
  /// Symbol without "+0x..."; for an unknown symbol the file's name in brackets, "[libc.so.6]", so
  /// that unknown code of different files stays apart; "[unknown]" when the file is not known
  /// either.
  std::string name;
  std::string
      dso;  ///< As printed, "(deleted)" included; an inlined frame has that of the frame it is in.
  bool inlined = false;
};

/// One sample of perf record.
struct PerfScriptSample {
  int line = 0;      ///< Of its header.
  std::string comm;  ///< May hold blanks, brackets, slashes.
  std::optional<std::int64_t> pid;
  std::int64_t tid = 0;
  std::optional<int> cpu;
  std::optional<std::chrono::nanoseconds> time;  ///< perf's clock: since boot in most set-ups.
  std::string event;                             ///< "cycles:ppp", "syscalls:sys_enter_ioctl".
  std::optional<std::uint64_t> period;
  std::vector<PerfFrame> frames;  ///< Leaf first; may be empty.
};

struct PerfFrameText;

/// Reads the text of `perf script` line by line, with or without callchains. One thread.
class PerfScriptReader {
 public:
  /// Takes one line without its end. A sample that this line completed, valid until the next call,
  /// or null.
  const PerfScriptSample* Feed(std::string_view line);

  /// The input is over. `last_line_complete` is false when it did not end in '\n': a frame cut in
  /// the middle drops its sample with a warning. The last sample, or null. Call TakeProblems after
  /// it.
  const PerfScriptSample* Finish(bool last_line_complete = true);

  /// "hostname", "os_release", "perf_version", "cmdline", ... of the header comments, as far as
  /// they came.
  const std::vector<std::pair<std::string, std::string>>& facts() const { return facts_; }
  bool refused() const { return refused_; }
  Problems TakeProblems();

 private:
  bool ReadHeader(std::string_view line, const PerfScriptSample** completed);
  void ReadFrame(std::string_view text);
  void ReadComment(std::string_view line);
  const PerfScriptSample* ReadStray(std::string_view line);
  void AddFrame(const PerfFrameText& frame);
  const PerfScriptSample* Complete();

  PerfScriptSample pending_;
  PerfScriptSample complete_;
  std::vector<std::pair<std::string, std::string>> facts_;
  Problems problems_;
  int line_number_ = 0;
  int sample_count_ = 0;
  int last_frame_line_ = 0;
  bool has_pending_ = false;
  bool last_frame_whole_ = true;
  bool skipping_ = false;  // Frames of a header that was refused.
  bool refused_ = false;
};

struct PerfScriptText {
  std::vector<PerfScriptSample> samples;
  std::vector<std::pair<std::string, std::string>> facts;
  Problems problems;
};

/// The whole of a recording. An empty one is an error: perf script failed, or nothing was recorded.
PerfScriptText ParsePerfScript(std::string_view text);

/// "comm;root;...;leaf". A ';' within a name becomes ':', so that the text splits into the frames
/// again.
void AppendFolded(const PerfScriptSample& sample, std::string* out);
std::string Fold(const PerfScriptSample& sample);

}  // namespace regressd::parse
