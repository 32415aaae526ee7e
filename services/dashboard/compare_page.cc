#include "services/dashboard/compare_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "services/dashboard/facts_table.h"
#include "services/dashboard/layout.h"
#include "services/dashboard/metric_table.h"
#include "services/dashboard/pieces.h"
#include "services/report/render_table.h"
#include "services/report/text.h"

namespace regressd::dashboard {
namespace {

using model::ComparisonBlock;

// A page stays readable and its memory bounded; narrower questions show the rest.
constexpr std::size_t kMostBlocks = 50;

bool AllMetrics(const http::Request& request) { return request.Query("all") == "1"; }

/// Unset: nothing is asked yet.
absl::StatusOr<std::optional<query::CompareQuery>> FromRequest(const http::Request& request) {
  query::CompareQuery compare;
  const auto add = [&](const std::string& name) { compare.columns.emplace_back().commit = name; };
  const std::string base = request.Query("base").value_or("");
  if (!base.empty()) add(base);
  const auto [begin, end] = request.query.equal_range("head");
  for (auto it = begin; it != end; ++it) {
    if (!it->second.empty()) add(it->second);
  }
  if (compare.columns.empty()) return std::nullopt;
  if (base.empty())
    return absl::InvalidArgumentError("no base is given; name the commit to compare with");
  if (compare.columns.size() < 2) {
    return absl::InvalidArgumentError("no head is given; name the commit to look at");
  }
  auto axes = AxesIn(request);
  if (!axes.ok()) return axes.status();
  compare.axes = *std::move(axes);
  compare.metric_regex = request.Query("metric").value_or("");
  return compare;
}

void Form(Html& html, const http::Request& request) {
  html.In("form", {{"class", "filter"}, {"method", "get"}, Action(Url("/compare"))}, [&] {
    TextField(html, "Base", "base", request.Query("base").value_or(""),
              "commit, tag or Message-ID");
    const auto [begin, end] = request.query.equal_range("head");
    if (begin == end) TextField(html, "Head", "head", "", "commit, tag or Message-ID");
    for (auto it = begin; it != end; ++it) TextField(html, "Head", "head", it->second, "commit");
    TextField(html, "Axis", "axis", request.Query("axis").value_or(""), "testcase=vm-scalability");
    TextField(html, "Metrics", "metric", request.Query("metric").value_or(""),
              "regular expression");
    html.Element("button", {{"type", "submit"}}, "Compare");
  });
}

/// This comparison of one set of axes, with every metric.
Url AllMetricsUrl(const http::Request& request, const ComparisonBlock& block) {
  Url url("/compare");
  for (const auto& [key, value] : request.query) {
    if ((key == "base" || key == "head" || key == "metric") && !value.empty())
      url.Query(key, value);
  }
  for (const model::Axis& axis : block.axes.list()) url.Query("axis", axis.key + '=' + axis.value);
  return url.Query("all", "1");
}

void Block(Html& html, const http::Request& request, const ComparisonBlock& block) {
  const bool all = AllMetrics(request);
  const std::vector<std::string> names = ColumnNames(block);
  html.In("h2", [&] { AxesCell(html, block.axes); });
  html.In("dl", {{"class", "facts"}}, [&] {
    for (std::size_t i = 0; i < block.columns.size(); ++i) {
      html.Element("dt", i == 0 ? "base" : "head");
      html.In("dd", [&] { CommitText(html, block.columns[i].commit); });
    }
  });
  SetupNotes(html, block);
  const std::vector<MetricRow> rows = RowsOf(block, all);
  if (rows.empty()) {
    EmptyState(html, "Nothing changed here.", "No metric moved beyond its spread.");
  } else {
    MetricTable(html, all ? "Every metric" : "Changed metrics and results of the test", names,
                rows);
  }
  if (!all && rows.size() < block.rows.size()) {
    html.In("p", [&] {
      html.Link(AllMetricsUrl(request, block),
                fmt::format("All {}", report::Counted(block.rows.size(), "metric")));
    });
  }
  html.In("details", [&] {
    html.Element("summary", "As text");
    const std::string table =
        report::RenderTable(block, {.all_metrics = all, .all_metrics_hint = "see All metrics"});
    html.In("pre", {{"tabindex", "0"}}, [&] { html.Lines(table); });
  });
  html.In("details", [&] {
    html.Element("summary", "Runs and machines");
    ColumnRuns(html, block);
    std::vector<FactsColumn> columns;
    for (std::size_t i = 0; i < block.columns.size(); ++i) {
      columns.push_back({.name = names[i], .facts = &block.columns[i].facts});
    }
    FactsTable(html, columns);
  });
}

/// A refused comparison keeps its form, so that it can be mended.
http::Response Refused(const http::Request& request, const absl::Status& status) {
  http::Response page = ErrorPage(Section::kCompare, request, status);
  // That nothing is there to compare is no fault of the request.
  if (status.code() == absl::StatusCode::kFailedPrecondition) page.status = 404;
  if (page.status != 400 && page.status != 404) return page;
  if (!page.content_type.starts_with("text/html")) return page;
  return Page({.title = "Compare", .section = Section::kCompare, .status = page.status},
              [&](Html& html) {
                Form(html, request);
                html.In("div", {{"class", "error"}, {"role", "alert"}},
                        [&] { html.In("p", [&] { html.Lines(std::string(status.message())); }); });
              });
}

}  // namespace

http::Response ComparePage(const http::Request& request, const query::Comparer& comparer) {
  const auto compare = FromRequest(request);
  if (!compare.ok()) return Refused(request, compare.status());
  if (!*compare) {
    return Page({.title = "Compare", .section = Section::kCompare}, [&](Html& html) {
      Form(html, request);
      EmptyState(html, "Name two commits.",
                 "An id of at least 7 digits, a tag, a git describe or the Message-ID of a patch.");
    });
  }
  const auto blocks = comparer.Compare(**compare);
  if (!blocks.ok()) return Refused(request, blocks.status());
  return Page({.title = "Compare", .section = Section::kCompare}, [&](Html& html) {
    Form(html, request);
    const std::size_t shown = std::min(blocks->size(), kMostBlocks);
    if (shown < blocks->size()) {
      EmptyState(html, fmt::format("The first {} of {} sets of axes.", shown, blocks->size()),
                 "Give an axis to see the others.");
    }
    for (std::size_t i = 0; i < shown; ++i) Block(html, request, (*blocks)[i]);
  });
}

}  // namespace regressd::dashboard
