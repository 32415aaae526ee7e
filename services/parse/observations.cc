#include "services/parse/observations.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "services/parse/text.h"

namespace regressd::parse {
namespace {

// A workload that writes rubbish writes millions of lines of it.
constexpr int kMostProblems = 20;

constexpr std::size_t kLongestUnit = 64;  // The protocol's limit.

bool IsUnit(std::string_view text) {
  return text.size() <= kLongestUnit && NameFault(text).empty();
}

}  // namespace

bool ObservationReader::Feed(std::string_view line, Observation* out) {
  ++line_number_;
  line = Trim(line);
  if (line.empty()) return false;
  if (line.front() == '#') {
    ReadHeader(line.substr(1));
    return false;
  }
  int metric = current_;
  const std::size_t blank = line.find_first_of(" \t");
  std::string_view number = line;
  if (blank != std::string_view::npos) {
    metric = FindMetric(line.substr(0, blank));
    number = Trim(line.substr(blank));
  }
  if (metric < 0) {
    Complain("unknown_metric",
             fmt::format("{} has no \"# name unit higher|lower\" line before it", Quote(line)));
    return false;
  }
  const std::optional<double> value = ToDouble(number);
  if (!value) {
    Complain("not_a_number", fmt::format("{} is no finite decimal number", Quote(number)));
    return false;
  }
  *out = {.metric_index = metric, .value = *value};
  return true;
}

void ObservationReader::ReadHeader(std::string_view text) {
  std::vector<std::string_view> words;
  SplitWords(text, &words);
  ObservationMetric metric;
  bool good = !words.empty() && words.size() <= 3;
  if (good && words.size() >= 2 && !FromString(words.back(), &metric.better)) {
    good = words.size() == 2;
  }
  if (!good) {
    Complain("bad_header", fmt::format("#{} is no \"# name [unit] [higher|lower|neither]\"; the "
                                       "values after it are left out",
                                       Quote(text)));
    current_ = -1;
    return;
  }
  if (const std::string_view fault = NameFault(words[0]); !fault.empty()) {
    Complain("bad_name", fmt::format("the name {} {}; the values after it are left out",
                                     Quote(words[0]), fault));
    current_ = -1;
    return;
  }
  current_ = FindMetric(words[0]);
  if (current_ >= 0) return;
  metric.name = std::string(words[0]);
  model::Better direction;
  if (words.size() >= 2 && !FromString(words[1], &direction)) {
    if (IsUnit(words[1])) {
      metric.unit = std::string(words[1]);
    } else {
      Complain("bad_unit", fmt::format("{} has the unit {}, which is no text of up to {} bytes; it "
                                       "is left out",
                                       metric.name, Quote(words[1]), kLongestUnit));
    }
  }
  current_ = static_cast<int>(metrics_.size());
  metrics_.push_back(std::move(metric));
}

int ObservationReader::FindMetric(std::string_view name) const {
  const auto found = std::find_if(metrics_.begin(), metrics_.end(),
                                  [&](const ObservationMetric& m) { return m.name == name; });
  return found == metrics_.end() ? -1 : static_cast<int>(found - metrics_.begin());
}

void ObservationReader::Complain(std::string code, const std::string& message) {
  ++problem_count_;
  if (problem_count_ <= kMostProblems) {
    problems_.push_back(Error(line_number_, std::move(code), message));
  }
}

Problems ObservationReader::TakeProblems() {
  if (problem_count_ > kMostProblems) {
    problems_.push_back(Error(line_number_, "more_problems",
                              fmt::format("{} lines were left out in all", problem_count_)));
    problem_count_ = kMostProblems;
  }
  return std::exchange(problems_, {});
}

}  // namespace regressd::parse
