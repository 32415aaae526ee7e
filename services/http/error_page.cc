#include "services/http/error_page.h"

#include "fmt/format.h"
#include "spdlog/spdlog.h"

namespace regressd::http {
namespace {

bool AcceptsHtml(const Request& request) {
  const auto accept = request.headers.find("accept");
  return accept != request.headers.end() && accept->second.find("text/html") != std::string::npos;
}

// https://cloud.google.com/apis/design/errors, as far as a page that is read can meet them.
int HttpStatus(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kFailedPrecondition:
      return 400;
    case absl::StatusCode::kUnauthenticated:
      return 401;
    case absl::StatusCode::kPermissionDenied:
      return 403;
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kResourceExhausted:
      return 429;
    case absl::StatusCode::kUnimplemented:
      return 501;
    case absl::StatusCode::kUnavailable:
      return 503;
    case absl::StatusCode::kDeadlineExceeded:
      return 504;
    default:
      return 500;
  }
}

}  // namespace

std::string EscapeHtml(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string_view ReasonPhrase(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 413:
      return "Payload Too Large";
    case 414:
      return "URI Too Long";
    case 429:
      return "Too Many Requests";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "Error";
  }
}

Response ErrorPage(const Request& request, int status, std::string_view message) {
  Response response;
  response.status = status;
  if (AcceptsHtml(request)) {
    response.body = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0} "
        "{1}</title></head>\n"
        "<body><h1>{0} {1}</h1><p>{2}</p><p><a href=\"/\">regressions</a></p></body></html>\n",
        status, ReasonPhrase(status), EscapeHtml(message));
  } else {
    response.content_type = "text/plain; charset=utf-8";
    response.body = fmt::format("{} {}: {}\n", status, ReasonPhrase(status), message);
  }
  return response;
}

Response ErrorPage(const Request& request, const absl::Status& status) {
  const int code = HttpStatus(status.code());
  if (code != 500) return ErrorPage(request, code, std::string(status.message()));
  // It may quote SQL: for the log, not for the world.
  spdlog::error("{}: {}", request.path, status.ToString());
  return ErrorPage(request, code, "regressd met an error of its own; its log has the details");
}

}  // namespace regressd::http
