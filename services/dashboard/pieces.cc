#include "services/dashboard/pieces.h"

#include <fmt/format.h>

#include <charconv>

#include "absl/status/status.h"
#include "services/report/render_table.h"
#include "services/report/time_text.h"

namespace regressd::dashboard {
namespace {

using model::Verdict;

bool ReadWhole(std::string_view text, std::int64_t* out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size();
}

std::string ClassOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kRegression:
      return "tag worse";
    case Verdict::kImprovement:
      return "tag better";
    case Verdict::kChanged:
    case Verdict::kMixed:
      return "tag other";
    default:
      return "tag";
  }
}

}  // namespace

std::string ToText(const Place& place) {
  return fmt::format("{}.{}", place.time.time_since_epoch().count(), place.id);
}

absl::StatusOr<std::optional<Place>> PlaceIn(const http::Request& request) {
  const auto text = request.Query("after");
  if (!text) return std::nullopt;
  const std::size_t dot = text->find('.');
  std::int64_t microseconds = 0;
  Place place;
  if (dot == std::string::npos ||
      !ReadWhole(std::string_view(*text).substr(0, dot), &microseconds) ||
      !ReadWhole(std::string_view(*text).substr(dot + 1), &place.id)) {
    return absl::InvalidArgumentError(
        fmt::format("after={} is no place in a list; follow the link \"Older\" of a page", *text));
  }
  place.time = model::Time(std::chrono::microseconds(microseconds));
  return place;
}

absl::StatusOr<model::Axes> AxesIn(const http::Request& request) {
  model::Axes axes;
  const auto [begin, end] = request.query.equal_range("axis");
  for (auto it = begin; it != end; ++it) {
    if (it->second.empty()) continue;  // A form sends its empty fields, too.
    const std::size_t equals = it->second.find('=');
    if (equals == std::string::npos || equals == 0) {
      return absl::InvalidArgumentError(
          fmt::format("axis {} has no value; write key=value, for example nr_task=8", it->second));
    }
    axes.Set(it->second.substr(0, equals), it->second.substr(equals + 1));
  }
  return axes;
}

void AxesCell(Html& html, const model::Axes& axes) {
  html.Text(axes.Find("testcase").value_or(""));
  std::string rest;
  for (const model::Axis& axis : axes.list()) {
    if (axis.key != "testcase") rest += fmt::format(" {}={}", axis.key, axis.value);
  }
  if (!rest.empty()) html.Element("span", {{"class", "quiet"}}, rest);
}

void ShortAxesCell(Html& html, const model::Axes& axes) {
  model::Axes few;
  for (const model::Axis& axis : axes.list()) {
    if (axis.key != "rootfs" && axis.key != "kconfig" && axis.key != "compiler") {
      few.Set(axis.key, axis.value);
    }
  }
  AxesCell(html, few);
}

void AxesList(Html& html, const model::Axes& axes) {
  html.In("dl", {{"class", "facts"}}, [&] {
    for (const model::Axis& axis : axes.list()) {
      html.Element("dt", axis.key);
      html.Element("dd", axis.value);
    }
  });
}

void VerdictTag(Html& html, Verdict verdict) {
  html.Element("span", {{"class", ClassOf(verdict)}}, ToString(verdict));
}

void StateTag(Html& html, model::RegressionState state) {
  const bool open =
      state == model::RegressionState::kNew || state == model::RegressionState::kConfirmed ||
      state == model::RegressionState::kReported || state == model::RegressionState::kAcknowledged;
  html.Element("span", {{"class", open ? "tag other" : "tag"}}, ToString(state));
}

void StateTag(Html& html, model::RunState state) {
  const bool failed = state == model::RunState::kFailed || state == model::RunState::kIncomplete;
  html.Element("span", {{"class", failed ? "tag worse" : "tag"}}, ToString(state));
}

void CommitText(Html& html, const model::Commit& commit) {
  html.Element("code", report::ShortCommit(commit));
  const std::string& subject =
      commit.patch && !commit.patch->subject.empty() ? commit.patch->subject : commit.subject;
  if (!subject.empty()) html.Text(" ").Text(subject);
}

void RunLink(Html& html, std::string_view uuid) {
  html.Element("a", {Href(Url("/run").Segment(uuid)), {"class", "mono"}}, uuid.substr(0, 8));
}

void TimeText(Html& html, model::Time time) {
  html.Element("time", {{"datetime", report::Rfc3339(time)}}, report::ReadableTime(time));
}

void Fact(Html& html, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  html.Element("dt", name);
  html.Element("dd", value);
}

void TextField(Html& html, std::string_view label, std::string_view name, std::string_view value,
               std::string_view example) {
  html.In("label", [&] {
    html.Text(label);
    html.Void("input", {{"type", "text"},
                        {"name", std::string(name)},
                        {"value", std::string(value)},
                        {"placeholder", std::string(example)}});
  });
}

void HeaderRow(Html& html, std::initializer_list<std::string_view> names) {
  html.In("thead", [&] {
    html.In("tr", [&] {
      for (std::string_view name : names) {
        const bool numbers = name.starts_with('#');
        if (numbers) name.remove_prefix(1);
        if (numbers) {
          html.Element("th", {{"scope", "col"}, {"class", "n"}}, name);
        } else {
          html.Element("th", {{"scope", "col"}}, name);
        }
      }
    });
  });
}

void UnreadableRow(Html& html, std::size_t column_count, std::string_view name,
                   const absl::Status& why) {
  html.In("tr", [&] {
    html.Element("td", {{"colspan", fmt::format("{}", column_count)}, {"class", "quiet"}},
                 fmt::format("{} cannot be read: {}", name, std::string(why.message())));
  });
}

void Pager(Html& html, const std::optional<Url>& older, const std::optional<Url>& newest) {
  if (!older && !newest) return;
  html.In("nav", {{"class", "pager"}, {"aria-label", "Pages"}}, [&] {
    if (newest) html.Link(*newest, "Newest");
    if (older) html.Link(*older, "Older");
  });
}

}  // namespace regressd::dashboard
