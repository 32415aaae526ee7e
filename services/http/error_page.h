#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "services/http/server.h"

namespace regressd::http {

/// `text` with what HTML gives a meaning (& < > " ') written as entities.
std::string EscapeHtml(std::string_view text);

/// "Not Found" for 404 and so on.
std::string_view ReasonPhrase(int status);

/// An answer that says what went wrong: a page when the client accepts HTML, else a line of plain
/// text. `message` is plain text; it is escaped here.
Response ErrorPage(const Request& request, int status, std::string_view message);

/// The same for a status: NotFound is 404, InvalidArgument 400, Unavailable 503...; Internal says
/// no details.
Response ErrorPage(const Request& request, const absl::Status& status);

}  // namespace regressd::http
