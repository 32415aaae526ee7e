#include "services/report/table_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "services/report/lkp_rows.h"
#include "services/report/text.h"

namespace regressd::report {
namespace {

using model::Cell;
using model::ComparisonBlock;
using model::Row;
using model::Verdict;

constexpr std::size_t kMostNames = 5;
constexpr std::size_t kNoteWidth = 89;  // Of the table's rule.

bool IsChange(const Cell& cell) {
  return cell.judgement && cell.judgement->verdict != Verdict::kUnchanged &&
         cell.judgement->verdict != Verdict::kInconclusive;
}

double Largest(const Cell& cell) {
  return cell.values.empty() ? 0 : *std::max_element(cell.values.begin(), cell.values.end());
}

/// The lines after the first by two blanks.
std::string Indented(std::string text) {
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 3) {
    text.insert(at + 1, "  ");
  }
  return text;
}

std::string NamesWith(const ComparisonBlock& block, Verdict verdict, std::string_view noun) {
  std::vector<std::string_view> names;
  for (const Row& row : block.rows) {
    if (std::any_of(row.cells.begin(), row.cells.end(), [&](const Cell& cell) {
          return cell.judgement && cell.judgement->verdict == verdict;
        })) {
      names.push_back(row.metric.name);
    }
  }
  if (names.empty()) return "";
  const std::string_view testcase = block.axes.Find("testcase").value_or("");
  // What the testcase measures comes before what explains it.
  std::stable_partition(names.begin(), names.end(),
                        [&](std::string_view name) { return IsResultOf(testcase, name); });
  std::string line = Counted(names.size(), noun) + ": ";
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
    line += (i == 0 ? "" : ", ") + Printable(names[i]);
  }
  if (names.size() > kMostNames) line += ", ...";
  return Indented(Wrap(line, kNoteWidth)) + '\n';
}

/// "insufficient", or with several reasons "12 insufficient, 2 missing".
std::string Reasons(const std::map<std::string, std::size_t>& counts) {
  if (counts.size() == 1) return counts.begin()->first;
  std::string text;
  for (const auto& [reason, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, reason);
  }
  return text;
}

std::string HiddenRows(std::span<const Row* const> rows, const std::string& hint) {
  std::size_t unchanged_count = 0;
  std::map<std::string, std::size_t> inconclusive;
  for (const Row* row : rows) {
    const auto open = std::find_if(row->cells.begin(), row->cells.end(), [](const Cell& cell) {
      return cell.judgement && cell.judgement->verdict == Verdict::kInconclusive;
    });
    if (open == row->cells.end()) {
      ++unchanged_count;
    } else {
      ++inconclusive[Printable(open->judgement->reason)];
    }
  }
  std::string line;
  if (unchanged_count > 0) line = Counted(unchanged_count, "metric") + " unchanged";
  if (!inconclusive.empty()) {
    std::size_t count = 0;
    for (const auto& [reason, reason_count] : inconclusive) count += reason_count;
    line += line.empty() ? Counted(count, "metric") : fmt::format(", {}", count);
    line += fmt::format(" inconclusive ({})", Reasons(inconclusive));
  }
  if (line.empty()) return "";
  return line + (hint.empty() ? "" : ": " + hint) + '\n';
}

std::string LeftOutRuns(const model::Column& column, std::string_view name) {
  std::string text;
  if (column.failed_run_count > 0) {
    text += fmt::format("{} of {} failed, not compared\n",
                        Counted(static_cast<std::size_t>(column.failed_run_count), "run"), name);
  }
  if (column.excluded_run_count > 0) {
    text += fmt::format("{} of {} excluded by hand, not compared\n",
                        Counted(static_cast<std::size_t>(column.excluded_run_count), "run"), name);
  }
  for (const model::LeftOut& left_out : column.left_out) {
    text += Indented(Wrap(fmt::format("{} of {} cannot be read, not compared: {}",
                                      OneLine(left_out.name), name, OneLine(left_out.reason)),
                          kNoteWidth)) +
            '\n';
  }
  return text;
}

std::string IncompleteRuns(const ComparisonBlock& block, std::size_t column,
                           std::string_view name) {
  std::size_t count = 0;
  for (const Row& row : block.rows) {
    if (row.metric.name != "last_state.is_incomplete_run") continue;
    const std::vector<double>& values = row.cells[column].values;
    count += static_cast<std::size_t>(
        std::count_if(values.begin(), values.end(), [](double value) { return value > 0; }));
  }
  if (count == 0) return "";
  return fmt::format("{} of {} met an out-of-memory kill or an oops: only failures are compared\n",
                     Counted(count, "run"), name);
}

}  // namespace

bool IsWorthShowing(const ComparisonBlock& block, const Row& row, bool functional) {
  if (std::any_of(row.cells.begin(), row.cells.end(), IsChange)) return true;
  if (functional) {
    return std::any_of(row.cells.begin(), row.cells.end(), [&](const Cell& cell) {
      return Largest(cell) != Largest(row.cells.front());
    });
  }
  return IsResultOf(block.axes.Find("testcase").value_or(""), row.metric.name);
}

std::string TableNotes(const ComparisonBlock& block, const TableOptions& options,
                       std::span<const Row* const> hidden_rows) {
  std::string text = NamesWith(block, Verdict::kRegression, "regression");
  text += NamesWith(block, Verdict::kImprovement, "improvement");
  text += HiddenRows(hidden_rows, options.all_metrics_hint);
  for (std::size_t i = 0; i < block.columns.size(); ++i) {
    const model::Column& column = block.columns[i];
    std::string name = Printable(ShortCommit(column.commit));
    for (const model::Axis& axis : column.compared_axes.list()) {
      name += fmt::format(" {}={}", Printable(axis.key), Printable(axis.value));
    }
    text += LeftOutRuns(column, name);
    text += IncompleteRuns(block, i, name);
  }
  return text.empty() ? text : text + '\n';
}

}  // namespace regressd::report
