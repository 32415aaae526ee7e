#include "services/dashboard/regression_list_page.h"

#include <fmt/format.h>

#include <array>

#include "services/dashboard/layout.h"
#include "services/dashboard/pieces.h"

namespace regressd::dashboard {
namespace {

using model::Regression;
using model::RegressionState;

constexpr std::array kStates = {
    RegressionState::kNew,          RegressionState::kConfirmed,   RegressionState::kReported,
    RegressionState::kAcknowledged, RegressionState::kFixed,       RegressionState::kWentAway,
    RegressionState::kRetracted,    RegressionState::kEnvironment, RegressionState::kFalsePositive};

struct ListRequest {
  storage::RegressionFilter filter;
  std::optional<storage::RegressionPosition> after;
};

absl::StatusOr<ListRequest> FromRequest(const http::Request& request,
                                        storage::CommitStore& commits) {
  ListRequest list;
  const auto [begin, end] = request.query.equal_range("state");
  for (auto it = begin; it != end; ++it) {
    RegressionState state;
    if (!FromString(it->second, &state)) {
      return absl::InvalidArgumentError(
          fmt::format("{} is no state of a regression; choose one of the states on the first page",
                      it->second));
    }
    list.filter.states.push_back(state);
  }
  const auto axes = AxesIn(request);
  if (!axes.ok()) return axes.status();
  list.filter.axes = *axes;
  if (const auto head = request.Query("head"); head && !head->empty()) {
    const auto commit = commits.Resolve(*head);
    if (!commit.ok()) return commit.status();
    list.filter.head_commit_id = commit->commit_id;
  }
  const auto place = PlaceIn(request);
  if (!place.ok()) return place.status();
  if (*place) list.after = {.create_time = (*place)->time, .regression_id = (*place)->id};
  return list;
}

/// The list with the filters of `request`, without its state and place.
Url ListUrl(const http::Request& request) {
  Url url("/");
  for (const auto& [key, value] : request.query) {
    if ((key == "axis" || key == "head") && !value.empty()) url.Query(key, value);
  }
  return url;
}

Url WithStates(Url url, const storage::RegressionFilter& filter) {
  for (const RegressionState state : filter.states) url.Query("state", ToString(state));
  return url;
}

void StateLinks(Html& html, const http::Request& request, const storage::RegressionFilter& filter) {
  html.In("nav", {{"aria-label", "States"}}, [&] {
    html.In("ul", {{"class", "states"}}, [&] {
      const auto item = [&](const Url& url, std::string_view text, bool current) {
        html.In("li", [&] {
          if (current) {
            html.Element("a", {Href(url), {"aria-current", "true"}}, text);
          } else {
            html.Link(url, text);
          }
        });
      };
      item(ListUrl(request), "all", filter.states.empty());
      for (const RegressionState state : kStates) {
        const bool current = filter.states.size() == 1 && filter.states.front() == state;
        item(ListUrl(request).Query("state", ToString(state)), ToString(state), current);
      }
    });
  });
}

void FilterForm(Html& html, const http::Request& request) {
  html.In("form", {{"class", "filter"}, {"method", "get"}, Action(Url("/"))}, [&] {
    if (const auto state = request.Query("state")) {
      html.Void("input", {{"type", "hidden"}, {"name", "state"}, {"value", *state}});
    }
    TextField(html, "Axis", "axis", request.Query("axis").value_or(""), "testcase=vm-scalability");
    TextField(html, "First bad commit", "head", request.Query("head").value_or(""), "9f8e7d6c5b");
    html.Element("button", {{"type", "submit"}}, "Filter");
  });
}

void RegressionRow(Html& html, const Regression& regression) {
  html.In("tr", [&] {
    html.In("th", {{"scope", "row"}}, [&] {
      html.Link(Url("/r").Segment(fmt::format("{}", regression.regression_id)),
                fmt::format("#{}", regression.regression_id));
    });
    html.In("td", [&] {
      StateTag(html, regression.state);
      if (regression.muted) html.Text(" ").Element("span", {{"class", "tag"}}, "muted");
    });
    html.In("td", [&] {
      html.Link(Url("/r").Segment(fmt::format("{}", regression.regression_id)), regression.title);
    });
    html.In("td", [&] { ShortAxesCell(html, regression.axes); });
    html.In("td", [&] { CommitText(html, regression.head); });
    html.In("td", {{"class", "time"}}, [&] { TimeText(html, regression.create_time); });
  });
}

}  // namespace

http::Response RegressionListPage(const http::Request& request, storage::CommitStore& commits,
                                  storage::RegressionStore& regressions) {
  const auto list = FromRequest(request, commits);
  if (!list.ok()) return ErrorPage(Section::kRegressions, request, list.status());
  auto found = regressions.ListRegressions(list->filter, list->after, kPageSize + 1);
  if (!found.ok()) return ErrorPage(Section::kRegressions, request, found.status());
  const bool has_more = found->size() > kPageSize;
  if (has_more) found->resize(kPageSize);

  return Page({.title = "Regressions", .section = Section::kRegressions}, [&](Html& html) {
    StateLinks(html, request, list->filter);
    FilterForm(html, request);
    if (found->empty()) {
      EmptyState(html, "No regression matches.",
                 "A regression appears here when the runs of a commit end and its metrics differ "
                 "from its base. The runs so far are under Runs.");
      return;
    }
    Table(html, "Regressions, newest first", [&] {
      HeaderRow(html, {"Id", "State", "Finding", "Test", "First bad commit", "Flagged"});
      html.In("tbody", [&] {
        for (const storage::ListedRegression& regression : *found) {
          if (regression.noun.ok()) {
            RegressionRow(html, *regression.noun);
          } else {
            UnreadableRow(html, 6, regression.name, regression.noun.status());
          }
        }
      });
    });
    const Url here = WithStates(ListUrl(request), list->filter);
    std::optional<Url> older;
    if (has_more) {
      const storage::RegressionPosition& last = found->back().position;
      older = Url(here).Query("after", ToText({last.create_time, last.regression_id}));
    }
    Pager(html, older, list->after ? std::optional(here) : std::nullopt);
  });
}

}  // namespace regressd::dashboard
