#include "services/agent/noise_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include "services/analysis/summary.h"

namespace regressd::agent {
namespace {

struct Column {
  std::vector<double> all;
  std::map<std::string, std::vector<double>> by_label;
};

/// `part` of `whole` in percent; "-" where there is none.
std::string Percent(double part, double whole, const char* form) {
  if (whole == 0) return "-";
  return fmt::format(fmt::runtime(form), 100 * part / std::abs(whole));
}

std::string Apart(const Column& column) {
  if (column.by_label.size() != 2) return "-";
  const double first = analysis::Summarize(column.by_label.begin()->second).mean;
  const double second = analysis::Summarize(column.by_label.rbegin()->second).mean;
  return Percent(second - first, first, "{:+.2f}%");
}

}  // namespace

std::string NoiseTable(std::span<const DoneStep> steps) {
  std::map<std::string, Column> columns;
  std::size_t failed_count = 0;
  std::size_t width = std::string_view("metric").size();
  for (const DoneStep& step : steps) {
    if (step.exit_code != 0) {
      ++failed_count;
      continue;
    }
    for (const auto& [name, value] : step.values) {
      columns[name].all.push_back(value);
      columns[name].by_label[step.label].push_back(value);
      width = std::max(width, name.size());
    }
  }
  if (columns.empty()) return "";
  std::string table = fmt::format("{:<{}}  {:>4}  {:>14}  {:>9}  {:>9}\n", "metric", width, "n",
                                  "mean", "stddev", "A to A'");
  for (const auto& [name, column] : columns) {
    const analysis::Moments moments = analysis::Summarize(column.all);
    const std::string spread =
        moments.count < 2 ? "-" : Percent(moments.sample_stddev, moments.mean, "{:.2f}%");
    table += fmt::format("{:<{}}  {:>4}  {:>14.6g}  {:>9}  {:>9}\n", name, width, moments.count,
                         moments.mean, spread, Apart(column));
  }
  if (failed_count > 0) table += fmt::format("failed and left out: {}\n", failed_count);
  return table;
}

}  // namespace regressd::agent
