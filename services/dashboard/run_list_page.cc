#include "services/dashboard/run_list_page.h"

#include <fmt/format.h>

#include <array>

#include "services/dashboard/layout.h"
#include "services/dashboard/pieces.h"
#include "services/report/lkp_number.h"

namespace regressd::dashboard {
namespace {

using model::Run;
using model::RunState;

constexpr std::array kStates = {RunState::kOpen, RunState::kComplete, RunState::kFailed,
                                RunState::kIncomplete};

/// A query value that is there and not empty: forms send empty fields, too.
std::optional<std::string> Filled(const http::Request& request, std::string_view key) {
  auto value = request.Query(key);
  return value && !value->empty() ? value : std::nullopt;
}

absl::StatusOr<storage::RunFilter> FilterIn(const http::Request& request,
                                            storage::CommitStore& commits) {
  storage::RunFilter filter;
  const auto axes = AxesIn(request);
  if (!axes.ok()) return axes.status();
  filter.axes = *axes;
  filter.testbox = Filled(request, "testbox");
  if (const auto name = Filled(request, "commit")) {
    const auto commit = commits.Resolve(*name);
    if (!commit.ok()) return commit.status();
    filter.commit_id = commit->commit_id;
  }
  if (const auto text = Filled(request, "state")) {
    RunState state;
    if (!FromString(*text, &state)) {
      return absl::InvalidArgumentError(fmt::format(
          "{} is no state of a run; write open, complete, failed or incomplete", *text));
    }
    filter.state = state;
  }
  return filter;
}

Url ListUrl(const http::Request& request) {
  Url url("/runs");
  for (const auto& [key, value] : request.query) {
    if (key != "after" && !value.empty()) url.Query(key, value);
  }
  return url;
}

void FilterForm(Html& html, const http::Request& request) {
  html.In("form", {{"class", "filter"}, {"method", "get"}, Action(Url("/runs"))}, [&] {
    TextField(html, "Axis", "axis", request.Query("axis").value_or(""), "testcase=vm-scalability");
    TextField(html, "Commit", "commit", request.Query("commit").value_or(""), "9f8e7d6c5b");
    TextField(html, "Testbox", "testbox", request.Query("testbox").value_or(""), "lkp-hsw-ep2");
    html.In("label", [&] {
      html.Text("State");
      html.In("select", {{"name", "state"}}, [&] {
        html.Element("option", {{"value", ""}}, "any");
        for (const RunState state : kStates) {
          const std::string name(ToString(state));
          if (request.Query("state") == name) {
            html.Element("option", {{"value", name}, {"selected", ""}}, name);
          } else {
            html.Element("option", {{"value", name}}, name);
          }
        }
      });
    });
    html.Element("button", {{"type", "submit"}}, "Filter");
  });
}

std::string Duration(const Run& run) {
  if (!run.outcome) return "";
  const std::chrono::duration<double> seconds = run.outcome->end_time - run.spec.start_time;
  return report::FormatFixed(seconds.count(), 1) + " s";
}

void RunRow(Html& html, const Run& run) {
  html.In("tr", [&] {
    html.In("th", {{"scope", "row"}}, [&] { RunLink(html, run.spec.key.uuid); });
    html.In("td", [&] {
      StateTag(html, run.state);
      if (!run.exclude_reason.empty())
        html.Text(" ").Element("span", {{"class", "tag"}}, "excluded");
    });
    html.In("td", [&] { ShortAxesCell(html, run.spec.axes); });
    html.In("td", [&] { CommitText(html, run.spec.commit); });
    html.Element("td", run.spec.facts.testbox);
    html.In("td", {{"class", "time"}}, [&] { TimeText(html, run.spec.start_time); });
    html.Element("td", {{"class", "n"}}, Duration(run));
  });
}

}  // namespace

http::Response RunListPage(const http::Request& request, storage::RunStore& runs,
                           storage::CommitStore& commits) {
  const auto filter = FilterIn(request, commits);
  if (!filter.ok()) return ErrorPage(Section::kRuns, request, filter.status());
  const auto place = PlaceIn(request);
  if (!place.ok()) return ErrorPage(Section::kRuns, request, place.status());
  std::optional<storage::RunPosition> after;
  if (*place) after = {.create_time = (*place)->time, .run_id = (*place)->id};
  auto found = runs.ListRuns(*filter, after, kPageSize + 1);
  if (!found.ok()) return ErrorPage(Section::kRuns, request, found.status());
  const bool has_more = found->size() > kPageSize;
  if (has_more) found->resize(kPageSize);

  return Page({.title = "Runs", .section = Section::kRuns}, [&](Html& html) {
    FilterForm(html, request);
    if (found->empty()) {
      EmptyState(html, "No run matches.",
                 "Runs come from regress-agent on the test machines: regress-agent run --testcase "
                 "NAME --commit SHA -- COMMAND.");
      return;
    }
    Table(html, "Runs, newest first", [&] {
      HeaderRow(html, {"Run", "State", "Test", "Commit", "Testbox", "Started", "#Took"});
      html.In("tbody", [&] {
        for (const storage::ListedRun& run : *found) {
          if (run.noun.ok()) {
            RunRow(html, *run.noun);
          } else {
            UnreadableRow(html, 7, run.name, run.noun.status());
          }
        }
      });
    });
    std::optional<Url> older;
    if (has_more) {
      const storage::RunPosition& last = found->back().position;
      older = ListUrl(request).Query("after", ToText({last.create_time, last.run_id}));
    }
    Pager(html, older, after ? std::optional(ListUrl(request)) : std::nullopt);
  });
}

}  // namespace regressd::dashboard
