#include "services/dashboard/regression_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "services/dashboard/facts_table.h"
#include "services/dashboard/layout.h"
#include "services/dashboard/metric_table.h"
#include "services/dashboard/pieces.h"
#include "services/report/render_mail.h"
#include "services/report/render_table.h"
#include "services/report/text.h"

namespace regressd::dashboard {
namespace {

using model::ComparisonBlock;
using model::Regression;

std::string Sentence(const Regression& regression) {
  if (regression.metrics.empty()) return regression.title + '.';
  const model::RegressionMetric& headline = regression.metrics.front();
  const model::Judgement& judgement = headline.judgement;
  std::string text = fmt::format("{} went from {} to {}", headline.metric.name,
                                 report::CompactNumber(judgement.base.mean),
                                 report::CompactNumber(judgement.head.mean));
  if (!headline.metric.unit.empty()) text += ' ' + headline.metric.unit;
  if (headline.metric.better == model::Better::kHigher) text += "; higher is better";
  if (headline.metric.better == model::Better::kLower) text += "; lower is better";
  text += fmt::format(". {} of the base against {} of the head.",
                      report::Counted(static_cast<std::size_t>(judgement.base.run_count), "run"),
                      report::Counted(static_cast<std::size_t>(judgement.head.run_count), "run"));
  if (judgement.q_value) {
    text += fmt::format(" q = {:.2g}, limit {:g}, over {} judged together (rule {}).",
                        *judgement.q_value, judgement.max_q_value,
                        report::Counted(static_cast<std::size_t>(judgement.family_size), "metric"),
                        judgement.rule);
  }
  return text;
}

void CommitFact(Html& html, std::string_view name, const model::Commit& commit) {
  html.Element("dt", name);
  html.In("dd", [&] {
    CommitText(html, commit);
    html.Text(" (").Link(Url("/runs").Query("commit", commit.commit_id), "runs").Text(")");
  });
}

Url CompareUrl(const Regression& regression) {
  Url url("/compare");
  url.Query("base", regression.base.commit_id).Query("head", regression.head.commit_id);
  for (const model::Axis& axis : regression.axes.list())
    url.Query("axis", axis.key + '=' + axis.value);
  return url;
}

void Summary(Html& html, const Regression& regression) {
  html.Element("p", {{"class", "lead"}}, Sentence(regression));
  html.In("dl", {{"class", "facts"}}, [&] {
    html.Element("dt", "State");
    html.In("dd", [&] {
      StateTag(html, regression.state);
      if (regression.muted) html.Text(" ").Element("span", {{"class", "tag"}}, "muted");
    });
    CommitFact(html, "Last good", regression.base);
    CommitFact(html, "First bad", regression.head);
    html.Element("dt", "Test");
    html.In("dd", [&] { AxesCell(html, regression.axes); });
    html.Element("dt", "Flagged");
    html.In("dd", [&] {
      TimeText(html, regression.create_time);
      html.Text(" by " + regression.created_by);
    });
    html.Element("dt", "Mail");
    html.Element("dd", {{"class", "mono"}},
                 fmt::format("regressctl report {}", regression.regression_id));
  });
}

/// The numbers as they were when the verdict was given; a later run does not change them.
void Verdicts(Html& html, const Regression& regression) {
  std::vector<MetricRow> rows;
  for (const model::RegressionMetric& metric : regression.metrics) {
    rows.push_back({.metric = metric.metric,
                    .base = metric.judgement.base,
                    .heads = {{metric.judgement.head, metric.judgement}}});
  }
  html.Element("h2", "What the verdict rests on");
  MetricTable(html,
              fmt::format("{} changed, the headline first", report::Counted(rows.size(), "metric")),
              {report::ShortCommit(regression.base), report::ShortCommit(regression.head)}, rows);
}

void HeadlinePlot(Html& html, const Regression& regression, const ComparisonBlock& block) {
  const auto row =
      std::find_if(block.rows.begin(), block.rows.end(), [&](const model::Row& candidate) {
        return candidate.metric.name == regression.headline_metric;
      });
  if (row != block.rows.end()) StripPlot(html, *row, ColumnNames(block));
}

void Comparison(Html& html, const Regression& regression, const ComparisonBlock& block) {
  html.Element("h2", "Every metric of these runs");
  html.In("p", [&] { html.Link(CompareUrl(regression), "Compare these two commits"); });
  html.In("details", [&] {
    html.Element("summary", fmt::format("All {} as they are now",
                                        report::Counted(block.rows.size(), "metric")));
    MetricTable(html, "Every metric, changed ones first", ColumnNames(block), RowsOf(block, true));
  });
  html.Element("h2", "Runs");
  ColumnRuns(html, block);
  html.Element("h2", "Machine");
  std::vector<FactsColumn> columns;
  for (std::size_t i = 0; i < block.columns.size(); ++i) {
    columns.push_back({.name = i == 0 ? "base" : "head", .facts = &block.columns[i].facts});
  }
  FactsTable(html, columns);
  html.Element("h2", "As text");
  const std::string table = report::RenderTable(block, {.all_metrics_hint = "see above"});
  html.In("pre", {{"tabindex", "0"}, {"aria-label", "The table in LKP's layout"}},
          [&] { html.Lines(table); });
}

void RunsAreGone(Html& html, const Regression& regression, const absl::Status& status) {
  html.In("div", {{"class", "empty"}}, [&] {
    html.Element("p", fmt::format("The runs cannot be compared any more: {}",
                                  std::string(status.message())));
  });
  html.Element("h2", "Machine");
  FactsTable(html, {{.name = "head", .facts = &regression.facts}});
}

void History(Html& html, const std::vector<model::RegressionEvent>& events) {
  html.Element("h2", "History");
  Table(html, "Events, oldest first", [&] {
    HeaderRow(html, {"When", "State", "Who", "Why"});
    html.In("tbody", [&] {
      for (const model::RegressionEvent& event : events) {
        html.In("tr", [&] {
          html.In("th", {{"scope", "row"}}, [&] { TimeText(html, event.event_time); });
          html.In("td", [&] { StateTag(html, event.state); });
          html.Element("td", event.created_by);
          html.Element("td", event.comment);
        });
      }
    });
  });
}

}  // namespace

http::Response RegressionPage(const http::Request& request, const query::Comparer& comparer,
                              storage::RegressionStore& regressions) {
  const std::string& text = request.captures.at(0);
  std::int64_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size()) {
    return ErrorPage(Section::kRegressions, request,
                     absl::NotFoundError(fmt::format("there is no regression {}", text)));
  }
  const auto found = regressions.GetRegression(id);
  if (!found.ok()) return ErrorPage(Section::kRegressions, request, found.status());
  const Regression& regression = found->regression;
  const auto block = comparer.BlockOf(regression);
  if (!block.ok() && block.status().code() == absl::StatusCode::kUnavailable) {
    return ErrorPage(Section::kRegressions, request, block.status());
  }
  const std::string title = fmt::format("#{} {}", regression.regression_id, regression.title);
  return Page({.title = title, .section = Section::kRegressions}, [&](Html& html) {
    Summary(html, regression);
    if (block.ok()) {
      SetupNotes(html, *block);
      HeadlinePlot(html, regression, *block);
    }
    Verdicts(html, regression);
    if (block.ok()) {
      Comparison(html, regression, *block);
    } else {
      RunsAreGone(html, regression, block.status());
    }
    History(html, found->events);
  });
}

}  // namespace regressd::dashboard
