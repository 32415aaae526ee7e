#include "services/dashboard/metric_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "services/dashboard/pieces.h"
#include "services/report/lkp_number.h"
#include "services/report/lkp_rows.h"
#include "services/report/render_mail.h"
#include "services/report/render_table.h"
#include "services/report/table_notes.h"
#include "services/report/text.h"

namespace regressd::dashboard {
namespace {

using model::Judgement;
using model::Summary;
using model::Verdict;

Summary SummaryOf(const model::Cell& cell) {
  std::vector<double> values;
  for (const double value : cell.values) {
    if (std::isfinite(value)) values.push_back(value);
  }
  Summary summary;
  const auto mean = report::LkpMean(values);
  if (!mean) return summary;
  const auto count = static_cast<double>(values.size());
  summary.run_count = static_cast<std::int32_t>(values.size());
  summary.mean = *mean;
  if (values.size() > 1) {
    // Tables of ours have the sample's spread; LKP's has the population's.
    summary.sample_stddev = report::LkpStddev(values, *mean) * std::sqrt(count / (count - 1));
  }
  return summary;
}

void SummaryCells(Html& html, const Summary& summary, bool first_of_head) {
  const std::string side = first_of_head ? "n side" : "n";
  if (summary.run_count == 0) {
    html.Element("td", {{"class", side}}, "-");
    html.Element("td", {{"class", "n"}}, "0");
    return;
  }
  html.In("td", {{"class", side}}, [&] {
    html.Text(report::CompactNumber(summary.mean));
    if (summary.run_count < 2) return;
    const double relative = 100 * summary.sample_stddev / std::abs(summary.mean);
    const std::string spread = summary.mean == 0 ? report::CompactNumber(summary.sample_stddev)
                                                 : report::FormatFixed(relative, 1) + "%";
    html.Element("span", {{"class", "quiet"}}, " ± " + spread);
  });
  html.Element("td", {{"class", "n"}}, fmt::format("{}", summary.run_count));
}

std::string Change(const model::Metric& metric, const Summary& base, const Summary& head) {
  if (base.run_count == 0) return head.run_count == 0 ? "" : "new";
  if (head.run_count == 0) return "gone";
  const double difference = head.mean - base.mean;
  const bool absolute = report::HasAbsoluteChange(metric.name);
  if (!absolute && base.mean == 0 && difference != 0) return "new";
  const double change = absolute         ? difference
                        : base.mean == 0 ? 0
                                         : 100 * difference / std::abs(base.mean);
  std::string text = report::FormatChange(change, absolute);
  text.erase(0, text.find_first_not_of(' '));
  return text.substr(0, text.find(' '));
}

void JudgementCells(Html& html, const MetricRow& row, const MetricRow::Head& head) {
  const std::string change = Change(row.metric, row.base, head.summary);
  if (!head.judgement) {
    html.Element("td", {{"class", "n"}}, change);
    for (int i = 0; i < 3; ++i) html.Element("td", "");
    return;
  }
  const Judgement& judgement = *head.judgement;
  std::string colour = "n";
  if (judgement.verdict == Verdict::kRegression) colour += " worse";
  if (judgement.verdict == Verdict::kImprovement) colour += " better";
  html.Element("td", {{"class", colour}}, change);
  html.In("td", [&] { VerdictTag(html, judgement.verdict); });
  html.Element("td", {{"class", "n"}},
               judgement.q_value ? fmt::format("{:.2g}", *judgement.q_value) : "");
  html.Element("td", {{"class", "quiet"}}, judgement.reason);
}

void Header(Html& html, const std::vector<std::string>& names) {
  html.In("thead", [&] {
    html.In("tr", [&] {
      html.Element("th", {{"scope", "col"}, {"rowspan", "2"}}, "Metric");
      for (std::size_t i = 0; i < names.size(); ++i) {
        html.In("th",
                {{"scope", "colgroup"},
                 {"colspan", i == 0 ? "2" : "6"},
                 {"class", i == 0 ? "n" : "side"}},
                [&] {
                  html.Text(i == 0 ? "base " : "head ");
                  html.Element("span", {{"class", "mono"}}, names[i]);
                });
      }
    });
    html.In("tr", [&] {
      for (std::size_t i = 0; i < names.size(); ++i) {
        html.Element("th", {{"scope", "col"}, {"class", i == 0 ? "n" : "n side"}}, "mean");
        html.Element("th", {{"scope", "col"}, {"class", "n"}}, "n");
        if (i == 0) continue;
        html.Element("th", {{"scope", "col"}, {"class", "n"}}, "change");
        html.Element("th", {{"scope", "col"}}, "verdict");
        html.Element("th", {{"scope", "col"}, {"class", "n"}}, "q");
        html.Element("th", {{"scope", "col"}}, "why");
      }
    });
  });
}

int Importance(const MetricRow& row) {
  int importance = 0;
  for (const MetricRow::Head& head : row.heads) {
    if (!head.judgement) continue;
    switch (head.judgement->verdict) {
      case Verdict::kRegression:
        importance = std::max(importance, 4);
        break;
      case Verdict::kImprovement:
        importance = std::max(importance, 3);
        break;
      case Verdict::kChanged:
      case Verdict::kMixed:
        importance = std::max(importance, 2);
        break;
      default:
        break;
    }
  }
  return importance;
}

}  // namespace

void MetricTable(Html& html, std::string_view caption, const std::vector<std::string>& names,
                 const std::vector<MetricRow>& rows) {
  Table(html, caption, [&] {
    Header(html, names);
    html.In("tbody", [&] {
      for (const MetricRow& row : rows) {
        html.In("tr", [&] {
          html.In("th", {{"scope", "row"}, {"class", "metric"}}, [&] {
            html.Text(row.metric.name);
            if (!row.metric.unit.empty()) {
              html.Element("span", {{"class", "quiet"}}, ' ' + row.metric.unit);
            }
          });
          SummaryCells(html, row.base, false);
          for (const MetricRow::Head& head : row.heads) {
            SummaryCells(html, head.summary, true);
            JudgementCells(html, row, head);
          }
        });
      }
    });
  });
}

std::vector<MetricRow> RowsOf(const model::ComparisonBlock& block, bool all) {
  const std::string_view testcase = block.axes.Find("testcase").value_or("");
  std::vector<MetricRow> rows;
  for (const model::Row& from : block.rows) {
    if (!all && !report::IsWorthShowing(block, from, report::IsFunctional(from.metric.name)))
      continue;
    MetricRow row{.metric = from.metric, .base = SummaryOf(from.cells.front()), .heads = {}};
    for (std::size_t i = 1; i < from.cells.size(); ++i) {
      row.heads.push_back({SummaryOf(from.cells[i]), from.cells[i].judgement});
    }
    rows.push_back(std::move(row));
  }
  // What the testcase measures comes first, then what moved, each part by name.
  std::stable_sort(rows.begin(), rows.end(), [&](const MetricRow& a, const MetricRow& b) {
    const auto key = [&](const MetricRow& row) {
      return std::make_pair(!report::IsResultOf(testcase, row.metric.name), -Importance(row));
    };
    return key(a) < key(b);
  });
  return rows;
}

std::vector<std::string> ColumnNames(const model::ComparisonBlock& block) {
  std::vector<std::string> names;
  for (const model::Column& column : block.columns) {
    std::string name;
    for (const std::string& axis : block.compared_axes) {
      if (!name.empty()) name += ' ';
      name += axis == "commit"
                  ? report::ShortCommit(column.commit)
                  : fmt::format("{}={}", axis, column.compared_axes.Find(axis).value_or(""));
    }
    names.push_back(name.empty() ? report::ShortCommit(column.commit) : name);
  }
  return names;
}

void StripPlot(Html& html, const model::Row& row, const std::vector<std::string>& names) {
  std::vector<double> all;
  for (const model::Cell& cell : row.cells) {
    std::copy_if(cell.values.begin(), cell.values.end(), std::back_inserter(all),
                 [](double value) { return std::isfinite(value); });
  }
  if (all.empty()) return;
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  if (*least == *most) return;
  constexpr double kLeft = 190;
  constexpr double kWidth = 520;
  constexpr double kStep = 34;
  const double height = kStep * static_cast<double>(row.cells.size()) + 24;
  const auto number = [](double value) { return fmt::format("{:.1f}", value); };
  const auto x = [&](double value) {
    return number(kLeft + kWidth * (value - *least) / (*most - *least));
  };
  html.In(
      "svg",
      {{"class", "strip"},
       {"viewBox", fmt::format("0 0 740 {:.0f}", height)},
       {"role", "img"},
       {"aria-label",
        fmt::format("{} of each run; the numbers are in the table below", row.metric.name)}},
      [&] {
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
          const double y = kStep * (static_cast<double>(i) + 0.5) + 2;
          const Summary summary = SummaryOf(row.cells[i]);
          html.Element("text",
                       {{"x", number(kLeft - 16)}, {"y", number(y + 4)}, {"text-anchor", "end"}},
                       fmt::format("{} {}", i == 0 ? "base" : "head",
                                   report::FirstCharacters(names[i], 18)));
          html.Element("line",
                       {{"class", "axis"},
                        {"x1", number(kLeft)},
                        {"x2", number(kLeft + kWidth)},
                        {"y1", number(y)},
                        {"y2", number(y)}},
                       "");
          const bool worse =
              row.cells[i].judgement && row.cells[i].judgement->verdict == Verdict::kRegression;
          for (const double value : row.cells[i].values) {
            if (!std::isfinite(value)) continue;
            html.Element("circle",
                         {{"class", i == 0  ? "base"
                                    : worse ? "head worse"
                                            : "head"},
                          {"cx", x(value)},
                          {"cy", number(y)},
                          {"r", "6"}},
                         "");
          }
          if (summary.run_count > 0) {
            html.Element("line",
                         {{"class", "mean"},
                          {"x1", x(summary.mean)},
                          {"x2", x(summary.mean)},
                          {"y1", number(y - 11)},
                          {"y2", number(y + 11)}},
                         "");
          }
        }
        html.Element("text", {{"x", number(kLeft)}, {"y", number(height - 6)}},
                     report::CompactNumber(*least));
        html.Element(
            "text",
            {{"x", number(kLeft + kWidth)}, {"y", number(height - 6)}, {"text-anchor", "end"}},
            report::CompactNumber(*most) + (row.metric.unit.empty() ? "" : ' ' + row.metric.unit));
      });
}

void ColumnRuns(Html& html, const model::ComparisonBlock& block) {
  const std::vector<std::string> names = ColumnNames(block);
  html.In("dl", {{"class", "facts"}}, [&] {
    for (std::size_t i = 0; i < block.columns.size(); ++i) {
      const model::Column& column = block.columns[i];
      html.Element("dt", fmt::format("{} {}", i == 0 ? "base" : "head", names[i]));
      html.In("dd", [&] {
        for (const model::RunKey& run : column.runs) {
          RunLink(html, run.uuid);
          html.Text(" ");
        }
        if (column.failed_run_count > 0) {
          html.Text(fmt::format(
              "; {} failed, not compared",
              report::Counted(static_cast<std::size_t>(column.failed_run_count), "run")));
        }
        if (column.excluded_run_count > 0) {
          html.Text(fmt::format(
              "; {} excluded by hand",
              report::Counted(static_cast<std::size_t>(column.excluded_run_count), "run")));
        }
        for (const model::LeftOut& left_out : column.left_out) {
          html.Text(
              fmt::format("; {} cannot be read, not compared: {}", left_out.name, left_out.reason));
        }
      });
    }
  });
}

}  // namespace regressd::dashboard
