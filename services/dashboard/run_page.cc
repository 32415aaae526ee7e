#include "services/dashboard/run_page.h"

#include <fmt/format.h>

#include "services/dashboard/facts_table.h"
#include "services/dashboard/layout.h"
#include "services/dashboard/pieces.h"
#include "services/report/lkp_number.h"
#include "services/report/render_mail.h"
#include "services/report/render_table.h"
#include "services/report/shell_text.h"
#include "services/report/text.h"
#include "services/report/time_text.h"

namespace regressd::dashboard {
namespace {

using model::Run;

std::string HowItEnded(const Run& run) {
  if (!run.outcome) return "";
  const model::RunOutcome& outcome = *run.outcome;
  if (!outcome.failure.empty()) return outcome.failure;
  if (outcome.term_signal != 0) return fmt::format("killed by signal {}", outcome.term_signal);
  return fmt::format("exit status {}", outcome.exit_status);
}

void Summary(Html& html, const Run& run) {
  html.In("dl", {{"class", "facts"}}, [&] {
    html.Element("dt", "State");
    html.In("dd", [&] { StateTag(html, run.state); });
    Fact(html, "Ended", HowItEnded(run));
    Fact(html, "Run", run.spec.key.uuid);
    html.Element("dt", "Tested");
    html.In("dd", [&] { CommitText(html, run.spec.commit); });
    html.Element("dt", "Started");
    html.In("dd", [&] { TimeText(html, run.spec.start_time); });
    if (run.outcome) {
      html.Element("dt", "Finished");
      html.In("dd", [&] { TimeText(html, run.outcome->end_time); });
    }
    Fact(html, "Command", report::ShellLine(run.spec.command));
    if (!run.spec.job_toml.empty()) {
      html.Element("dt", "Job");
      html.In("dd", [&] { html.In("pre", [&] { html.Lines(run.spec.job_toml); }); });
    }
    Fact(html, "Agent", run.spec.agent_version);
    Fact(html, "Sent by", run.created_by);
  });
  if (!run.exclude_reason.empty()) {
    html.In("div", {{"class", "error"}}, [&] {
      html.Element("p", fmt::format("Taken out of every comparison by {}: {}", run.excluded_by,
                                    run.exclude_reason));
    });
  }
}

void Output(Html& html, const Run& run) {
  if (!run.outcome || run.outcome->last_output_lines.empty()) return;
  html.Element("h2", "Last lines of its output");
  std::string text;
  for (const std::string& line : run.outcome->last_output_lines)
    text += report::Printable(line) + '\n';
  html.In("pre", {{"tabindex", "0"}}, [&] { html.Lines(text); });
}

void Notes(Html& html, const Run& run) {
  std::map<std::string, std::string> notes = run.spec.monitor_notes;
  if (run.outcome) {
    for (const auto& [monitor, note] : run.outcome->monitor_notes) {
      std::string& all = notes[monitor];
      all += (all.empty() ? "" : "; ") + note;
    }
  }
  if (notes.empty()) return;
  html.Element("h2", "What was not measured, and why");
  html.In("dl", {{"class", "facts"}}, [&] {
    for (const auto& [monitor, note] : notes) {
      html.Element("dt", monitor);
      html.Element("dd", note);
    }
  });
}

void Sources(Html& html, const Run& run) {
  html.Element("h2", "What it sent");
  if (run.sources.empty()) {
    html.Element("p", {{"class", "quiet"}}, "Nothing yet.");
    return;
  }
  Table(html, "Sources of this run", [&] {
    HeaderRow(html, {"Source", "Holds", "#Metrics", "#Last number", "#Lost"});
    html.In("tbody", [&] {
      for (const model::SourceInfo& source : run.sources) {
        html.In("tr", [&] {
          html.Element("th", {{"scope", "row"}}, source.name);
          html.Element("td", ToString(source.content));
          html.Element("td", {{"class", "n"}}, fmt::format("{}", source.metric_count));
          html.Element("td", {{"class", "n"}}, fmt::format("{}", source.last_seq));
          html.Element("td", {{"class", "n"}}, fmt::format("{}", source.gap_count));
        });
      }
    });
  });
}

void ValueRow(Html& html, const storage::RunValue& value) {
  html.In("tr", [&] {
    html.Element("th", {{"scope", "row"}, {"class", "metric"}}, value.metric.name);
    html.Element("td", {{"class", "n"}}, report::CompactNumber(value.value));
    html.Element("td", value.metric.unit);
    html.Element("td", ToString(value.metric.reduction));
    html.Element("td", {{"class", "n"}}, fmt::format("{}", value.sample_count));
    html.Element("td", ToString(value.metric.better));
  });
}

void Values(Html& html, const std::vector<storage::ListedRunValue>& values) {
  html.Element("h2", "Run values");
  if (values.empty()) {
    html.Element("p", {{"class", "quiet"}},
                 "None: the samples of a run become its values when it ends.");
    return;
  }
  Table(html, "One value for each metric of this run", [&] {
    HeaderRow(html, {"Metric", "#Value", "Unit", "How", "#Samples", "Better"});
    html.In("tbody", [&] {
      for (const storage::ListedRunValue& value : values) {
        if (value.noun.ok()) {
          ValueRow(html, *value.noun);
        } else {
          UnreadableRow(html, 6, value.name, value.noun.status());
        }
      }
    });
  });
}

void Siblings(Html& html, const Run& run) {
  Url same("/runs");
  same.Query("commit", run.spec.commit.commit_id);
  for (const model::Axis& axis : run.spec.axes.list())
    same.Query("axis", axis.key + '=' + axis.value);
  html.In("p", [&] { html.Link(same, "All runs of this commit with these axes"); });
}

}  // namespace

http::Response RunPage(const http::Request& request, storage::RunStore& runs) {
  const auto run = runs.GetRun(request.captures.at(0));
  if (!run.ok()) return ErrorPage(Section::kRuns, request, run.status());
  const auto values = runs.ListRunValues(run->spec.key.run_id);
  if (!values.ok()) return ErrorPage(Section::kRuns, request, values.status());
  const std::string testcase(run->spec.axes.Find("testcase").value_or("run"));
  const std::string title = fmt::format("Run {} of {}", run->spec.key.uuid.substr(0, 8), testcase);
  return Page({.title = title, .section = Section::kRuns}, [&](Html& html) {
    Summary(html, *run);
    Siblings(html, *run);
    Output(html, *run);
    html.Element("h2", "Axes");
    AxesList(html, run->spec.axes);
    html.Element("h2", "Machine");
    FactsTable(html, {{.name = "Value", .facts = &run->spec.facts}});
    Notes(html, *run);
    Sources(html, *run);
    Values(html, *values);
  });
}

}  // namespace regressd::dashboard
