#include "services/ctl/render_regression.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "services/ctl/output.h"
#include "services/ctl/render_run.h"
#include "services/report/render_table.h"
#include "services/report/text.h"
#include "services/report/time_text.h"

namespace regressd::ctl {
namespace {

using report::OneLine;

std::string SummaryText(const model::Summary& summary) {
  return fmt::format("{} ± {} ({})", report::CompactNumber(summary.mean),
                     report::CompactNumber(summary.sample_stddev),
                     report::Counted(static_cast<std::size_t>(summary.run_count), "run"));
}

std::string ChangeText(const model::Judgement& judgement) {
  return judgement.relative_change ? fmt::format("{:+.1f} %", *judgement.relative_change * 100)
                                   : fmt::format("{:+g}", judgement.absolute_change);
}

std::string MetricText(const model::RegressionMetric& metric) {
  const model::Judgement& judgement = metric.judgement;
  const std::string levels = report::Joined(
      {SummaryText(judgement.base), "->", SummaryText(judgement.head), OneLine(metric.metric.unit)},
      " ");
  std::string text = fmt::format("  {:<40} {}: {}, {}", OneLine(metric.metric.name), levels,
                                 ChangeText(judgement), ToString(judgement.verdict));
  if (!judgement.reason.empty()) text += fmt::format(" ({})", OneLine(judgement.reason));
  if (judgement.q_value)
    fmt::format_to(std::back_inserter(text), ", q = {:.2g}", *judgement.q_value);
  return text + "\n";
}

}  // namespace

std::string RegressionTable(std::span<const model::Regression> regressions) {
  std::string text;
  for (const model::Regression& regression : regressions) {
    fmt::format_to(std::back_inserter(text), "{:>6}  {:<14} {}  {}  {}{}\n",
                   regression.regression_id, ToString(regression.state), OneLine(regression.title),
                   OneLine(report::ShortCommit(regression.head)), AxesText(regression.axes),
                   regression.muted ? "  (muted)" : "");
  }
  return text;
}

std::string RegressionCsv(std::span<const model::Regression> regressions) {
  std::string text =
      "regression_id,state,muted,title,metric,base_commit,head_commit,axes,update_time\n";
  for (const model::Regression& regression : regressions) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{}\n",
                   regression.regression_id, ToString(regression.state),
                   regression.muted ? "yes" : "no", CsvField(regression.title),
                   CsvField(regression.headline_metric), CsvField(regression.base.commit_id),
                   CsvField(regression.head.commit_id), CsvField(AxesText(regression.axes)),
                   report::Rfc3339(regression.update_time));
  }
  return text;
}

std::string RegressionText(const RegressionHistory& history) {
  const model::Regression& regression = history.regression;
  std::string text =
      fmt::format("#{} {}: {}\n\nbase:  {}\nhead:  {}\naxes:  {}\n", regression.regression_id,
                  ToString(regression.state), OneLine(regression.title),
                  OneLine(report::CommitLine(regression.base, false)),
                  OneLine(report::CommitLine(regression.head, false)), AxesText(regression.axes));
  const std::string machine = report::Joined(
      {OneLine(regression.facts.testbox), OneLine(regression.facts.kernel_release)}, ", ");
  if (!machine.empty()) text += fmt::format("on:    {}\n", machine);
  text += "\nmetrics:\n";
  for (const model::RegressionMetric& metric : regression.metrics) text += MetricText(metric);
  text += "\nhistory:\n";
  for (const model::RegressionEvent& event : history.events) {
    text += fmt::format("  {}  {} by {}{}{}\n", report::ReadableTime(event.event_time),
                        ToString(event.state), OneLine(event.created_by),
                        event.comment.empty() ? "" : ": ", OneLine(event.comment));
  }
  return text;
}

std::string EventLine(const model::RegressionEvent& event, const model::Regression& regression) {
  return fmt::format("{}  #{} {}: {} at {} (by {}{}{})\n", report::ReadableTime(event.event_time),
                     regression.regression_id, ToString(event.state), OneLine(regression.title),
                     OneLine(report::ShortCommit(regression.head)), OneLine(event.created_by),
                     event.comment.empty() ? "" : ": ", OneLine(event.comment));
}

}  // namespace regressd::ctl
