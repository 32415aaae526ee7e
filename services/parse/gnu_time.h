#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/parse/benchmark_results.h"

namespace regressd::parse {

/// What `time` said of one command.
struct TimedCommand {
  struct Figure {
    std::string_view name;  ///< LKP's: "elapsed_time", "minor_page_faults".
    double value = 0;       ///< In seconds, KiB or percent, or a count.
  };
  std::vector<Figure> figures;

  std::optional<double> Find(std::string_view name) const;
};

/// Finds the reports of GNU time among the lines of one input: its default format, -v and -p, and
/// the table of bash's `time`, which is that of -p. What -v prints as constants is left out.
class TimeReportReader {
 public:
  void Feed(const InputLine& line);

  /// After the last line. All reports, in order.
  std::vector<TimedCommand> Finish();

  /// After Finish. The first of what went wrong: a timed command that failed, a report that breaks
  /// off or cannot be read. Empty when nothing did.
  const std::string& failure() const { return failure_; }

 private:
  enum class Format { kNone, kDefault, kVerbose, kPortable };

  bool Begins(const InputLine& line);
  void ReadEnd(const InputLine& line);
  void ReadDefaultSecondLine(std::string_view text);
  void ReadVerbose(const InputLine& line);
  void ReadPortable(std::string_view text);
  void End();
  void Fail(std::string reason);

  Format format_ = Format::kNone;
  std::string begin_;  ///< Where the running report began.
  TimedCommand running_;
  std::vector<TimedCommand> commands_;
  std::string failure_;
};

/// "h:mm:ss", "m:ss.cc", "s.cc" or bash's "0m0.008s" in seconds.
std::optional<double> ParseClock(std::string_view text);

/// Results "time.elapsed_time", "time.system_time", ...: one sample a report. Fails as
/// TimeReportReader does.
class GnuTimeParser final : public BenchmarkParser {
 public:
  void Feed(const InputLine& line) override;
  BenchmarkResults Finish() override;

 private:
  std::map<std::string, TimeReportReader, std::less<>> readers_;  ///< By input.
};

}  // namespace regressd::parse
