#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/parse/problem.h"

namespace regressd::parse {

enum class PerfCount {
  kCounted,
  kNotCounted,    ///< The event was never on the processor in this interval: no value.
  kNotSupported,  ///< This machine has no such event: no value.
};

/// "ok", "not_counted", "not_supported".
std::string_view ToString(PerfCount status);

/// What perf computed beside a count: 2.048 "CPUs utilized".
struct PerfDerived {
  double value = 0;
  std::string unit;
};

/// Which part of the machine a row stands for; levels must never be added together.
struct PerfAggregate {
  std::string kind;   ///< "cpu", "core", "die", "cluster", "cache", "socket", "node", "thread".
  std::string id;     ///< As printed: "S0-D0-C1".
  int cpu_count = 0;  ///< CPUs behind it; 0 when perf does not say.
};

/// One count of one event.
struct PerfStatRow {
  int line = 0;
  std::optional<double>
      time_s;            ///< End of the interval, seconds since perf's start; unset without -I.
  bool summary = false;  ///< Total of all intervals; not one more sample.
  std::string event;     ///< With its modifiers: "cycles:u".
  std::optional<double>
      value;  ///< In `unit`; perf has already scaled it up when percent_running < 100.
  PerfCount status = PerfCount::kCounted;
  std::string unit;  ///< "msec"; empty for plain counts.
  std::optional<std::int64_t> run_ns;
  std::optional<double> percent_running;
  std::optional<double> variance_percent;  ///< With -r: relative standard deviation of the mean.
  std::string cgroup;                      ///< With -G; empty otherwise.
  std::optional<PerfAggregate> aggregate;
  std::optional<PerfDerived> derived;
  std::string threshold;  ///< perf's own word on the derived value: "good", "bad".

  bool multiplexed() const { return value && percent_running && *percent_running < 100; }
};

/// A metric without an event of its own: --metric-only, -M, TopdownL1.
struct PerfStatMetric {
  int line = 0;
  std::optional<double> time_s;
  std::string name;
  std::optional<double> value;
  std::string unit;
  std::string threshold;
};

/// Reads `perf stat` line by line: CSV (-x, any separator), JSON lines (-j), the layout for people,
/// and
/// --metric-only CSV. The form is known by the first line that has data; `separator` is needed only
/// when it is neither ',' nor ';' nor a tab.
///
/// A damaged row is left out, named by its line. Only when every row is split by a decimal comma,
/// or by a perf that cannot print JSON, is the text as a whole unreadable: Close says so and
/// `refused()` turns true. Each event that cannot be measured gives one warning, not one an
/// interval. One thread.
class PerfStatReader {
 public:
  explicit PerfStatReader(char separator = 0) : separator_(separator) {}

  /// Takes one line without its end. The row of it, valid until the next call; null when it has
  /// none.
  const PerfStatRow* Feed(std::string_view line);

  /// The text has ended: its split rows are judged.
  void Close();

  /// Metrics without events, in order; moved out.
  std::vector<PerfStatMetric> TakeMetrics();
  /// What was found since the last call.
  Problems TakeProblems();
  bool refused() const { return refused_; }
  /// The date after "# started on", one second exact, in the local time of the machine; empty
  /// without -o.
  const std::string& started_on() const { return started_on_; }
  /// Metric groups that the text named: "TopdownL1".
  const std::vector<std::string>& groups() const { return groups_; }

 private:
  enum class Form { kUnknown, kCsv, kJson, kHuman, kMetricOnly };

  void ReadComment(std::string_view line);
  bool DetectForm(std::string_view line);
  const PerfStatRow* ReadCsv(std::string_view line);
  const PerfStatRow* ReadJson(std::string_view line);
  const PerfStatRow* ReadHuman(std::string_view line);
  void ReadMetricOnlyHeader(std::string_view line);
  void ReadMetricOnlyRow(std::string_view line);
  PerfStatMetric& AddMetric(std::optional<double> time_s, std::string name,
                            std::optional<double> value);
  const PerfStatRow* Finish();
  void WarnDecimalComma();
  Problem Misfit(std::string_view line) const;
  void RefuseRow(std::string code, const std::string& message);
  void RefuseSplitRow(Problem if_all_are, Problem if_damaged);
  void FoundGoodRow();

  char separator_;
  Form form_ = Form::kUnknown;
  PerfStatRow row_;
  std::vector<std::string_view> fields_;
  std::vector<std::string> metric_names_;
  std::vector<PerfStatMetric> metrics_;
  std::vector<std::string> groups_;
  std::vector<std::string> unmeasured_;   // Events whose warning was given.
  std::vector<std::string> multiplexed_;  // The same.
  Problems problems_;
  std::optional<Problem> whole_text_problem_;  // When no good row contradicts it.
  Problems split_rows_;                        // The first ones, until a good row comes.
  std::string started_on_;
  int line_number_ = 0;
  bool has_good_row_ = false;
  bool warned_decimal_comma_ = false;
  bool refused_ = false;
};

struct PerfStatText {
  std::vector<PerfStatRow> rows;     ///< Intervals, or the one total of a run without -I.
  std::vector<PerfStatRow> summary;  ///< Totals after intervals.
  std::vector<PerfStatMetric> metrics;
  std::vector<std::string> groups;
  std::string started_on;
  Problems problems;
};

/// The whole of a recording.
PerfStatText ParsePerfStat(std::string_view text, char separator = 0);

}  // namespace regressd::parse
