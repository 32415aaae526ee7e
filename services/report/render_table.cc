#include "services/report/render_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "services/report/fact_notes.h"
#include "services/report/lkp_number.h"
#include "services/report/lkp_rows.h"
#include "services/report/table_notes.h"
#include "services/report/text.h"

namespace regressd::report {
namespace {

using model::Cell;
using model::ComparisonBlock;
using model::Row;
using model::Verdict;

constexpr std::size_t kBaseWidth = 16;
constexpr std::size_t kHeadWidth = 27;
constexpr std::size_t kShortId = 10;
constexpr std::size_t kFullId = 40;
constexpr double kNoSpread = -1;        // LKP's mark of a single value.
constexpr double kAlmostZero = 1e-100;  // LKP's base in place of a mean of 0.

bool IsFullId(std::string_view id) {
  return id.size() == kFullId && id.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string_view Shorten(std::string_view id) { return IsFullId(id) ? id.substr(0, kShortId) : id; }

std::vector<double> FiniteValues(const Cell& cell) {
  std::vector<double> values;
  std::copy_if(cell.values.begin(), cell.values.end(), std::back_inserter(values),
               [](double value) { return !std::isnan(value); });
  return values;
}

double SumOf(const Cell& cell) {
  double sum = 0;
  for (const double value : FiniteValues(cell)) sum += value;
  return sum;
}

/// Centre and spread of a cell as printed; `mean` is unset when the column lacks the metric.
struct Shown {
  std::optional<double> mean;
  double stddev = kNoSpread;
};

Shown ShownOf(const Cell& cell, bool lkp_exact) {
  const std::vector<double> values = FiniteValues(cell);
  Shown shown{.mean = LkpMean(values)};
  if (values.size() > 1) shown.stddev = LkpStddev(values, *shown.mean);
  if (lkp_exact && !shown.mean) shown.mean = 0;
  return shown;
}

/// Builds the text of one block. One thread.
class TableWriter {
 public:
  TableWriter(const ComparisonBlock& block, const TableOptions& options)
      : block_(block), options_(options) {}

  std::string Write() {
    WriteAxes();
    WriteColumns();
    if (options_.notes && !options_.lkp_exact) out_ += FactNotes(block_);
    WriteTitles();
    const std::vector<OrderedRow> rows = ShownRows();
    const auto first_perf = std::find_if(rows.begin(), rows.end(),
                                         [](const OrderedRow& row) { return !row.functional; });
    WriteFunctional({rows.begin(), first_perf});
    WritePerf({first_perf, rows.end()});
    out_ += '\n';
    if (options_.notes && !options_.lkp_exact) out_ += TableNotes(block_, options_, hidden_rows_);
    return std::move(out_);
  }

 private:
  void WriteAxes() {
    out_ += std::string(89, '=') + '\n';
    std::string names;
    std::string values;
    for (const model::Axis& axis : block_.axes.list()) {
      if (!names.empty()) names += '/', values += '/';
      names += Printable(axis.key);
      values += Printable(axis.value);
    }
    out_ += names + ":\n  " + values + "\n\n";
  }

  std::string ColumnName(const model::Column& column, bool full) const {
    std::string name;
    for (const std::string& key : block_.compared_axes) {
      if (!name.empty()) name += '/';
      if (key != "commit") {
        name += Printable(column.compared_axes.Find(key).value_or(""));
      } else if (options_.lkp_exact) {
        name += Printable(column.commit.commit_id);
      } else if (full) {
        name += CommitLine(column.commit, options_.short_ids);
      } else if (column.commit.patch || options_.short_ids) {
        name += Printable(ShortCommit(column.commit));
      } else {
        name += Printable(column.commit.commit_id);
      }
    }
    return name;
  }

  void WriteColumns() {
    std::string keys;
    for (const std::string& key : block_.compared_axes)
      keys += (keys.empty() ? "" : "/") + Printable(key);
    out_ += keys + ": \n";
    for (const model::Column& column : block_.columns)
      out_ += "  " + ColumnName(column, true) + '\n';
    out_ += '\n';
  }

  void WriteTitles() {
    std::string titles;
    std::string rules;
    for (std::size_t i = 0; i < block_.columns.size(); ++i) {
      const std::size_t width = i == 0 ? kBaseWidth : kHeadWidth;
      const std::string name = ColumnName(block_.columns[i], false);
      titles += PadLeft(FirstCharacters(name, width), width) + ' ';
      rules += std::string(width, '-') + ' ';
    }
    out_ += titles + '\n' + rules + '\n';
  }

  bool IsFailure(const Row& row) const {
    // Neither the name of a function on a stack nor a cgroup's failcnt says that the run failed;
    // LKP falls for both.
    const std::string_view family = FamilyOf(row.metric.name);
    if (!options_.lkp_exact && (family == "perf-profile" || family == "cgroup")) return false;
    return IsFunctional(row.metric.name);
  }

  std::vector<OrderedRow> ShownRows() {
    std::vector<OrderedRow> rows;
    for (std::size_t i = 0; i < block_.rows.size(); ++i) {
      const Row& row = block_.rows[i];
      const bool functional = IsFailure(row);
      if (!options_.all_metrics && !IsWorthShowing(block_, row, functional)) {
        hidden_rows_.push_back(&row);
        continue;
      }
      rows.push_back({.index = i,
                      .name = row.metric.name,
                      .functional = functional,
                      .changes = Changes(row, functional)});
    }
    auto families = options_.test_families;
    families.emplace(block_.axes.Find("testcase").value_or(""));
    SortRows(families, &rows);
    return rows;
  }

  std::vector<double> Changes(const Row& row, bool functional) const {
    std::vector<double> changes;
    for (std::size_t i = 1; i < row.cells.size(); ++i) {
      changes.push_back(functional ? Reproduction(row, i) : ChangeOf(row, i).value_or(0));
    }
    return changes;
  }

  std::optional<double> ChangeOf(const Row& row, std::size_t column) const {
    const auto base = ShownOf(row.cells[0], options_.lkp_exact).mean;
    const auto head = ShownOf(row.cells[column], options_.lkp_exact).mean;
    if (!base || !head) return std::nullopt;
    if (HasAbsoluteChange(row.metric.name)) return *head - *base;
    if (options_.lkp_exact) {
      const double divisor = *base == 0 ? kAlmostZero : *base;
      return 100 * (*head - divisor) / divisor;
    }
    if (*base == 0) return *head == 0 ? std::optional<double>(0) : std::nullopt;
    return 100 * (*head - *base) / std::abs(*base);
  }

  double Reproduction(const Row& row, std::size_t column) const {
    const auto runs = [&](std::size_t i) {
      return static_cast<double>(std::max<std::size_t>(1, block_.columns[i].runs.size()));
    };
    const std::size_t divisor = options_.lkp_exact ? column - 1 : column;
    return 100 * (SumOf(row.cells[column]) / runs(divisor) - SumOf(row.cells[0]) / runs(0));
  }

  void WriteFunctional(std::span<const OrderedRow> rows) {
    if (rows.empty()) return;
    std::string heads = "       fail:runs";
    std::string marks = "           |    ";
    for (std::size_t i = 1; i < block_.columns.size(); ++i) {
      heads += "  %reproduction    fail:runs";
      marks += "         |             |    ";
    }
    out_ += heads + '\n' + marks + '\n';
    for (const OrderedRow& ordered : rows) {
      const Row& row = block_.rows[ordered.index];
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        if (i > 0) out_ += Colored(row.cells[i], FormatReproduction(ordered.changes[i - 1]));
        const double fails = SumOf(row.cells[i]);
        out_ += fails == 0 ? std::string(11, ' ') : fmt::format("{:11.0f}", std::trunc(fails));
        out_ += fmt::format(":{:<4}", block_.columns[i].runs.size());
      }
      out_ += "  " + Printable(row.metric.name) + '\n';
    }
  }

  void WritePerf(std::span<const OrderedRow> rows) {
    if (rows.empty()) return;
    std::string heads = "         %stddev";
    std::string marks = "             \\  ";
    for (std::size_t i = 1; i < block_.columns.size(); ++i) {
      heads += "     %change         %stddev";
      marks += "        |                \\  ";
    }
    out_ += heads + '\n' + marks + '\n';
    for (const OrderedRow& ordered : rows) {
      const Row& row = block_.rows[ordered.index];
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        if (i > 0) out_ += Colored(row.cells[i], ChangeField(row, i));
        out_ += MeanField(row.cells[i]);
      }
      out_ += "  " + Printable(row.metric.name) + '\n';
    }
  }

  std::string ChangeField(const Row& row, std::size_t column) const {
    if (const auto change = ChangeOf(row, column)) {
      return FormatChange(*change, HasAbsoluteChange(row.metric.name));
    }
    const bool in_base = LkpMean(FiniteValues(row.cells[0])).has_value();
    const bool in_head = LkpMean(FiniteValues(row.cells[column])).has_value();
    if (in_head) return PadLeft("new", 10) + "  ";
    return PadLeft(in_base ? "gone" : "", 10) + "  ";
  }

  std::string MeanField(const Cell& cell) const {
    const Shown shown = ShownOf(cell, options_.lkp_exact);
    if (!shown.mean) return std::string(16, ' ');
    return FormatMean(*shown.mean) + SpreadField(shown);
  }

  std::string SpreadField(const Shown& shown) const {
    const bool has_spread = shown.stddev >= 0 && *shown.mean != 0;
    std::string field = options_.lkp_exact
                            ? FormatStddev(*shown.mean, shown.stddev)
                            : FormatStddev(std::abs(*shown.mean), has_spread ? shown.stddev : 0);
    constexpr std::string_view kSign = " ±";
    if (options_.ascii && field.starts_with(kSign)) field.replace(0, kSign.size(), "+-");
    return field;
  }

  std::string Colored(const Cell& cell, std::string field) const {
    if (!options_.color || !cell.judgement) return field;
    switch (cell.judgement->verdict) {
      case Verdict::kRegression:
        return "\x1b[31m" + std::move(field) + "\x1b[0m";
      case Verdict::kImprovement:
        return "\x1b[32m" + std::move(field) + "\x1b[0m";
      default:
        return field;
    }
  }

  const ComparisonBlock& block_;
  const TableOptions& options_;
  std::vector<const Row*> hidden_rows_;
  std::string out_;
};

}  // namespace

std::string RenderTable(const ComparisonBlock& block, const TableOptions& options) {
  return TableWriter(block, options).Write();
}

std::string ShortCommit(const model::Commit& commit) {
  if (commit.patch) return "patch:" + commit.patch->message_id;
  return std::string(Shorten(commit.commit_id));
}

std::string CommitLine(const model::Commit& commit, bool short_id) {
  const auto id = [&](std::string_view text) { return Printable(short_id ? Shorten(text) : text); };
  std::string line;
  if (commit.patch) {
    line =
        fmt::format("{} on {}", Printable(ShortCommit(commit)), id(commit.patch->base_commit_id));
  } else {
    line = id(commit.commit_id);
  }
  if (!commit.describe.empty() && commit.describe != commit.commit_id) {
    line += " " + Printable(commit.describe);
  }
  const std::string& subject =
      commit.patch && !commit.patch->subject.empty() ? commit.patch->subject : commit.subject;
  if (!subject.empty()) line += fmt::format(" (\"{}\")", Printable(subject));
  return line;
}

}  // namespace regressd::report
