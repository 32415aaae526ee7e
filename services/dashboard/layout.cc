#include "services/dashboard/layout.h"

#include <fmt/format.h>

#include "services/dashboard/style.h"
#include "services/http/error_page.h"
#include "services/model/metric.h"

namespace regressd::dashboard {
namespace {

// Pages need no scripts, no inline styles, nothing from elsewhere.
constexpr std::string_view kPolicy =
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'";

void Navigation(Html& html, Section here) {
  const auto item = [&](Section section, const Url& url, std::string_view text) {
    html.In("li", [&] {
      if (section == here) {
        html.Element("a", {Href(url), {"aria-current", "true"}}, text);
      } else {
        html.Link(url, text);
      }
    });
  };
  html.In("header", {{"class", "bar"}}, [&] {
    html.Element("a", {Href(Url("/")), {"class", "brand"}}, "regressd");
    html.In("nav", {{"aria-label", "Main"}}, [&] {
      html.In("ul", [&] {
        item(Section::kRegressions, Url("/"), "Regressions");
        item(Section::kCompare, Url("/compare"), "Compare");
        item(Section::kRuns, Url("/runs"), "Runs");
      });
    });
  });
}

std::string_view Headline(int status) {
  switch (status) {
    case 400:
      return "This request cannot be answered";
    case 401:
    case 403:
      return "Not allowed";
    case 404:
      return "Not found";
    case 503:
      return "The store is away";
    default:
      return "Something went wrong";
  }
}

}  // namespace

http::Response Page(const PageHead& head, const std::function<void(Html&)>& content) {
  Html html;
  html.In("html", {{"lang", "en"}}, [&] {
    html.In("head", [&] {
      html.Void("meta", {{"charset", "utf-8"}});
      html.Void("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
      html.Void("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
      html.Element("title", head.title + " - regressd");
      html.Void("link", {{"rel", "stylesheet"}, Href(StyleUrl())});
    });
    html.In("body", [&] {
      html.Element("a", {Href(Url("#content")), {"class", "skip"}}, "Skip to the content");
      Navigation(html, head.section);
      html.In("main", {{"id", "content"}}, [&] {
        html.Element("h1", head.title);
        content(html);
      });
      html.In("footer", [&] { html.Text("regressd " REGRESSD_VERSION); });
    });
  });
  http::Response response;
  response.status = head.status;
  response.body = "<!DOCTYPE html>\n" + html.Finish() + '\n';
  response.headers["Content-Security-Policy"] = kPolicy;
  response.headers["Cache-Control"] = "no-cache";
  return response;
}

http::Response ErrorPage(Section section, const http::Request& request,
                         const absl::Status& status) {
  http::Response plain = http::ErrorPage(request, status);
  const int code = plain.status;
  if (plain.content_type.starts_with("text/plain")) return plain;
  std::string message = code == 500 ? "regressd met an error of its own; its log has the details"
                                    : std::string(status.message());
  if (code == 503) message += ". Nothing is lost; load this page again in a moment.";
  return Page({.title = std::string(Headline(code)), .section = section, .status = code},
              [&](Html& html) {
                html.In("div", {{"class", "error"}, {"role", "alert"}},
                        [&] { html.In("p", [&] { html.Lines(message); }); });
              });
}

void EmptyState(Html& html, std::string_view why, std::string_view what_to_do) {
  html.In("div", {{"class", "empty"}}, [&] {
    html.In("p", [&] { html.Element("strong", why); });
    html.Element("p", what_to_do);
  });
}

Url StyleUrl() {
  static const std::string version = fmt::format("{:016x}", model::Hash63(kStyle));
  return Url("/style.css").Query("v", version);
}

http::Response StyleSheet() {
  http::Response response;
  response.content_type = "text/css; charset=utf-8";
  response.body = kStyle;
  response.headers["Cache-Control"] = "public, max-age=31536000, immutable";
  return response;
}

}  // namespace regressd::dashboard
