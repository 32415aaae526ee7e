#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "services/dashboard/html.h"
#include "services/http/server.h"
#include "services/model/regression.h"
#include "services/model/run.h"

namespace regressd::dashboard {

/// Rows of one page of a list.
inline constexpr std::int32_t kPageSize = 50;

/// A place in a list that is ordered by (time, id), as the URL has it: "<microseconds>.<id>".
struct Place {
  model::Time time;
  std::int64_t id = 0;
};
std::string ToText(const Place& place);
/// The "after" of a request. Errors: InvalidArgument.
absl::StatusOr<std::optional<Place>> PlaceIn(const http::Request& request);

/// The "axis=key=value" pairs of a request. Errors: InvalidArgument, saying how to write one.
absl::StatusOr<model::Axes> AxesIn(const http::Request& request);

/// "vm-scalability" and beside it the other axes: "test=swap-w-seq nr_task=8".
void AxesCell(Html& html, const model::Axes& axes);
/// The same with what a reader of a list needs: without rootfs, kconfig and compiler.
void ShortAxesCell(Html& html, const model::Axes& axes);
/// All axes as a list of facts.
void AxesList(Html& html, const model::Axes& axes);

/// The word of a verdict in its colour.
void VerdictTag(Html& html, model::Verdict verdict);
void StateTag(Html& html, model::RegressionState state);
void StateTag(Html& html, model::RunState state);

/// The short id and the subject.
void CommitText(Html& html, const model::Commit& commit);
/// First 8 digits of the UUID, linked to the run.
void RunLink(Html& html, std::string_view uuid);
void TimeText(Html& html, model::Time time);

/// A pair of a <dl class="facts">; nothing when `value` is empty.
void Fact(Html& html, std::string_view name, std::string_view value);

/// A labelled text field.
void TextField(Html& html, std::string_view label, std::string_view name, std::string_view value,
               std::string_view example);

/// A table that scrolls alone when it is wider than the page. `caption` names it for screen
/// readers.
template <typename Content>
void Table(Html& html, std::string_view caption, Content&& content) {
  html.In("div",
          {{"class", "scroll"},
           {"tabindex", "0"},
           {"role", "region"},
           {"aria-label", std::string(caption)}},
          [&] {
            html.In("table", [&] {
              html.Element("caption", caption);
              content();
            });
          });
}
/// Header cells of columns; a name that starts with '#' heads numbers.
void HeaderRow(Html& html, std::initializer_list<std::string_view> names);

/// A row of `column_count` columns in place of one that cannot be read.
void UnreadableRow(Html& html, std::size_t column_count, std::string_view name,
                   const absl::Status& why);

/// "Older" when there is more, "Newest" when this is not the first page.
void Pager(Html& html, const std::optional<Url>& older, const std::optional<Url>& newest);

}  // namespace regressd::dashboard
