#include "services/parse/perf_stat.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "services/parse/perf_stat_fields.h"
#include "services/parse/text.h"

namespace regressd::parse {
namespace {

// Fields that a row of counts has at least: value, unit, event, run time, share.
constexpr std::size_t kFewestCsvFields = 5;

// A text without any good row has as many bad ones as it has lines.
constexpr std::size_t kMostSplitRows = 20;

bool Contains(const std::vector<std::string>& list, std::string_view entry) {
  return std::find(list.begin(), list.end(), entry) != list.end();
}

}  // namespace

std::string_view ToString(PerfCount status) {
  switch (status) {
    case PerfCount::kNotCounted:
      return "not_counted";
    case PerfCount::kNotSupported:
      return "not_supported";
    case PerfCount::kCounted:
      break;
  }
  return "ok";
}

const PerfStatRow* PerfStatReader::Feed(std::string_view line) {
  ++line_number_;
  const std::string_view trimmed = Trim(line);
  if (trimmed.empty()) return nullptr;
  if (trimmed.front() == '#') {
    ReadComment(trimmed);
    return nullptr;
  }
  if (form_ == Form::kUnknown && !DetectForm(trimmed)) return nullptr;
  row_ = {};
  row_.line = line_number_;
  switch (form_) {
    case Form::kCsv:
      return ReadCsv(line);
    case Form::kJson:
      return ReadJson(trimmed);
    case Form::kHuman:
      return ReadHuman(trimmed);
    case Form::kMetricOnly:
      ReadMetricOnlyRow(line);
      return nullptr;
    case Form::kUnknown:
      break;
  }
  return nullptr;
}

std::vector<PerfStatMetric> PerfStatReader::TakeMetrics() { return std::exchange(metrics_, {}); }

Problems PerfStatReader::TakeProblems() { return std::exchange(problems_, {}); }

void PerfStatReader::RefuseRow(std::string code, const std::string& message) {
  problems_.push_back(Error(line_number_, std::move(code), message));
}

void PerfStatReader::RefuseSplitRow(Problem if_all_are, Problem if_damaged) {
  if (has_good_row_) {
    problems_.push_back(std::move(if_damaged));
    return;
  }
  if (!whole_text_problem_) whole_text_problem_ = std::move(if_all_are);
  if (split_rows_.size() < kMostSplitRows) split_rows_.push_back(std::move(if_damaged));
}

void PerfStatReader::FoundGoodRow() {
  if (std::exchange(has_good_row_, true)) return;
  whole_text_problem_.reset();
  for (Problem& problem : split_rows_) problems_.push_back(std::move(problem));
  split_rows_.clear();
}

void PerfStatReader::Close() {
  if (!whole_text_problem_) return;
  problems_.push_back(*std::exchange(whole_text_problem_, std::nullopt));
  refused_ = true;
}

void PerfStatReader::ReadComment(std::string_view line) {
  constexpr std::string_view kStarted = "# started on ";
  if (line.starts_with(kStarted)) started_on_ = std::string(line.substr(kStarted.size()));
  // The heading of the layout for people: "#           time             counts unit events".
  if (line.find("counts") != std::string_view::npos) form_ = Form::kHuman;
}

bool PerfStatReader::DetectForm(std::string_view line) {
  if (line.front() == '{') {
    form_ = Form::kJson;
    return true;
  }
  constexpr std::array kSeparators = {'\t', ';', '|', ','};
  for (const char separator : kSeparators) {
    if (separator_ != 0 && separator_ != separator) continue;
    SplitFields(line, separator, &fields_);
    // "0.100612418          1,234,567      page-faults" only looks separated by commas.
    if (fields_[0].find(' ') != std::string_view::npos) continue;
    const bool has_value = std::any_of(fields_.begin(), fields_.end(), IsPerfValue);
    // perf ends the line of metric names with a separator.
    if (fields_.size() >= 2 && !has_value && (fields_[0] == "time" || fields_.back().empty())) {
      separator_ = separator;
      ReadMetricOnlyHeader(line);
      return false;
    }
    if (fields_.size() < kFewestCsvFields) continue;
    separator_ = separator;
    form_ = Form::kCsv;
    return true;
  }
  if (separator_ != 0) {
    SplitFields(line, separator_, &fields_);
    form_ = Form::kCsv;
    return fields_.size() >= kFewestCsvFields;
  }
  form_ = Form::kHuman;
  return true;
}

Problem PerfStatReader::Misfit(std::string_view line) const {
  return Error(line_number_, "field_count_mismatch",
               fmt::format("{} fields do not make a row of perf stat: {}; it is left out",
                           fields_.size(), Quote(line)));
}

const PerfStatRow* PerfStatReader::ReadCsv(std::string_view line) {
  SplitFields(line, separator_, &fields_);
  CsvContext context{.separator = separator_};
  const CsvOutcome outcome = ReadCsvFields(fields_, &context, &row_);
  switch (outcome) {
    case CsvOutcome::kRow:
      if (context.decimal_comma) WarnDecimalComma();
      return Finish();
    case CsvOutcome::kMetric:
      AddMetric(row_.time_s, row_.derived->unit, row_.derived->value);
      return nullptr;
    case CsvOutcome::kSplitByDecimalComma:
      RefuseSplitRow(
          Error(line_number_, "locale_decimal_comma",
                fmt::format("{} fields, because a decimal comma split some of them: {}; record "
                            "with LC_ALL=C, or perf stat -x\\; or -j",
                            fields_.size(), Quote(line))),
          Misfit(line));
      return nullptr;
    case CsvOutcome::kMisfit:
      problems_.push_back(Misfit(line));
      return nullptr;
  }
  return nullptr;
}

void PerfStatReader::ReadMetricOnlyHeader(std::string_view line) {
  SplitFields(line, separator_, &fields_);
  if (fields_.back().empty()) fields_.pop_back();
  metric_names_.assign(fields_.begin(), fields_.end());
  form_ = Form::kMetricOnly;
}

void PerfStatReader::ReadMetricOnlyRow(std::string_view line) {
  SplitFields(line, separator_, &fields_);
  if (fields_.front() == metric_names_.front()) return ReadMetricOnlyHeader(line);
  if (fields_.back().empty() && fields_.size() > metric_names_.size()) fields_.pop_back();
  if (fields_.size() != metric_names_.size()) {
    return RefuseRow("field_count_mismatch",
                     fmt::format("{} fields where the header names {}; the row is left out: {}",
                                 fields_.size(), metric_names_.size(), Quote(line)));
  }
  const bool has_time = metric_names_.front() == "time";
  const std::optional<double> time_s = has_time ? ToDouble(fields_.front()) : std::nullopt;
  for (std::size_t i = has_time ? 1 : 0; i < fields_.size(); ++i) {
    const std::optional<double> value = ToDouble(fields_[i]);
    if (!value && !fields_[i].empty()) {
      RefuseRow("not_a_number", fmt::format("{} holds {}; it has no value here", metric_names_[i],
                                            Quote(fields_[i])));
    }
    AddMetric(time_s, metric_names_[i], value);
  }
}

PerfStatMetric& PerfStatReader::AddMetric(std::optional<double> time_s, std::string name,
                                          std::optional<double> value) {
  PerfStatMetric& metric = metrics_.emplace_back();
  metric.line = line_number_;
  metric.time_s = time_s;
  metric.name = std::move(name);
  metric.value = value;
  return metric;
}

const PerfStatRow* PerfStatReader::Finish() {
  if (const std::string_view fault = NameFault(row_.event); !fault.empty()) {
    RefuseRow("bad_name",
              fmt::format("the event {} {}; the row is left out", Quote(row_.event), fault));
    return nullptr;
  }
  FoundGoodRow();
  if (row_.status != PerfCount::kCounted && !Contains(unmeasured_, row_.event)) {
    unmeasured_.push_back(row_.event);
    problems_.push_back(Warning(
        line_number_, std::string(ToString(row_.status)),
        row_.status == PerfCount::kNotSupported
            ? fmt::format("not measured: {} (not supported by this machine)", row_.event)
            : fmt::format("not measured here: {} (it did not get on a processor)", row_.event)));
  }
  if (row_.multiplexed() && !Contains(multiplexed_, row_.event)) {
    multiplexed_.push_back(row_.event);
    problems_.push_back(
        Warning(line_number_, "multiplexed",
                fmt::format("{} was counted {:.2f} % of the time and scaled up by perf", row_.event,
                            *row_.percent_running)));
  }
  return &row_;
}

void PerfStatReader::WarnDecimalComma() {
  if (std::exchange(warned_decimal_comma_, true)) return;
  problems_.push_back(Warning(line_number_, "locale_decimal_comma",
                              "numbers have a decimal comma; they are read as such here, but "
                              "record with LC_ALL=C"));
}

PerfStatText ParsePerfStat(std::string_view text, char separator) {
  PerfStatReader reader(separator);
  PerfStatText result;
  std::string_view line;
  while (NextLine(&text, &line)) {
    if (const PerfStatRow* row = reader.Feed(line)) {
      (row->summary ? result.summary : result.rows).push_back(*row);
    }
  }
  reader.Close();
  result.metrics = reader.TakeMetrics();
  result.groups = reader.groups();
  result.started_on = reader.started_on();
  result.problems = reader.TakeProblems();
  const bool empty = result.rows.empty() && result.summary.empty() && result.metrics.empty();
  if (reader.refused()) {
    result.rows.clear();
    result.summary.clear();
    result.metrics.clear();
  } else if (empty && !HasErrors(result.problems)) {
    result.problems.push_back(
        Error(0, "no_counts", "there are no counts of perf stat here; see what perf said"));
  }
  return result;
}

}  // namespace regressd::parse
