#include "services/dashboard/html.h"

#include <fmt/format.h>

#include <cassert>

#include "services/http/error_page.h"
#include "services/report/text.h"

namespace regressd::dashboard {
namespace {

std::string PercentEncoded(std::string_view text) {
  constexpr std::string_view kUnreserved =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
  std::string out;
  for (const char c : text) {
    if (kUnreserved.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string Escaped(std::string_view text) { return http::EscapeHtml(report::Printable(text)); }

}  // namespace

Url& Url::Segment(std::string_view value) {
  text_ += '/' + PercentEncoded(value);
  return *this;
}

Url& Url::Query(std::string_view key, std::string_view value) {
  text_ +=
      fmt::format("{}{}={}", has_query_ ? '&' : '?', PercentEncoded(key), PercentEncoded(value));
  has_query_ = true;
  return *this;
}

Attribute Href(const Url& url) { return {Attribute::Address(), "href", url}; }
Attribute Action(const Url& url) { return {Attribute::Address(), "action", url}; }

void Html::Open(Name tag, Attributes attributes) {
  Void(tag, attributes);
  open_.push_back(tag.text());
}

void Html::Close() {
  out_ += fmt::format("</{}>", open_.back());
  open_.pop_back();
}

Html& Html::Element(Name tag, Attributes attributes, std::string_view text) {
  Open(tag, attributes);
  Text(text);
  Close();
  return *this;
}

Html& Html::Void(Name tag, Attributes attributes) {
  out_ += fmt::format("<{}", tag.text());
  for (const Attribute& attribute : attributes) {
    out_ += fmt::format(" {}=\"{}\"", attribute.name(), Escaped(attribute.value()));
  }
  out_ += '>';
  return *this;
}

Html& Html::Text(std::string_view text) {
  out_ += Escaped(text);
  return *this;
}

Html& Html::Lines(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out_ += Escaped(text.substr(0, end));
    if (end == std::string_view::npos) break;
    out_ += '\n';
    text.remove_prefix(end + 1);
  }
  return *this;
}

std::string Html::Finish() {
  assert(open_.empty());
  return std::move(out_);
}

}  // namespace regressd::dashboard
