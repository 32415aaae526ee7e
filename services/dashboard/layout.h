#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "services/dashboard/html.h"
#include "services/http/server.h"

namespace regressd::dashboard {

/// The part of the site that a page belongs to, marked in the navigation.
enum class Section { kRegressions, kCompare, kRuns };

struct PageHead {
  std::string title;  ///< Of the window and the page's first heading.
  Section section = Section::kRegressions;
  int status = 200;
};

/// A whole page: head, navigation, heading, what `content` writes, footer.
http::Response Page(const PageHead& head, const std::function<void(Html&)>& content);

/// A page that says why there is nothing to show and what to do, with the HTTP status that fits:
/// 400, 403, 404, 503... An internal error tells the world no details; it is logged. Plain text for
/// clients that do not take HTML.
http::Response ErrorPage(Section section, const http::Request& request, const absl::Status& status);

/// A paragraph for an empty list.
void EmptyState(Html& html, std::string_view why, std::string_view what_to_do);

/// The address of the style sheet, which changes with its text, so that it may be cached for long.
Url StyleUrl();
http::Response StyleSheet();

}  // namespace regressd::dashboard
