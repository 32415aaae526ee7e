#include "storage/conninfo.h"

#include <libpq-fe.h>

#include <memory>

#include "fmt/format.h"

namespace regressd::storage {

absl::StatusOr<std::map<std::string, std::string>> ParseConninfo(std::string_view text) {
  char* error = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(std::string(text).c_str(), &error), &PQconninfoFree);
  const std::unique_ptr<char, decltype(&PQfreemem)> error_owner(error, &PQfreemem);
  if (options == nullptr) {
    // libpq's own message may quote the string, and with it a password.
    return absl::InvalidArgumentError(
        "the database URL cannot be read; write postgresql://user@host:5432/dbname or "
        "host=... dbname=... (a password's special characters %-escaped in the URL form)");
  }
  std::map<std::string, std::string> keywords;
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr) keywords[option->keyword] = option->val;
  }
  return keywords;
}

std::string FormatConninfo(const std::map<std::string, std::string>& keywords) {
  std::string text;
  for (const auto& [keyword, value] : keywords) {
    if (!text.empty()) text += ' ';
    text += keyword + "='";
    for (const char c : value) {
      if (c == '\'' || c == '\\') text += '\\';
      text += c;
    }
    text += '\'';
  }
  return text;
}

absl::StatusOr<std::string> WithDefaults(std::string_view text) {
  absl::StatusOr<std::map<std::string, std::string>> keywords = ParseConninfo(text);
  if (!keywords.ok()) return keywords.status();
  const std::map<std::string, std::string> defaults = {
      {"client_encoding", "UTF8"},
      {"connect_timeout", "5"},
      {"fallback_application_name", "regressd"},
      {"keepalives_idle", "30"},
      {"keepalives_interval", "10"},
      {"keepalives_count", "3"},
      {"tcp_user_timeout", "60000"},
  };
  keywords->insert(defaults.begin(), defaults.end());  // What is there stays.
  return FormatConninfo(*keywords);
}

std::string DescribeConninfo(std::string_view text) {
  const absl::StatusOr<std::map<std::string, std::string>> keywords = ParseConninfo(text);
  if (!keywords.ok()) return "(unreadable database URL)";
  const auto value = [&](const char* keyword, std::string_view otherwise) {
    const auto found = keywords->find(keyword);
    return found == keywords->end() ? std::string(otherwise) : found->second;
  };
  return fmt::format("{}@{}:{}/{}", value("user", "(default)"),
                     value("host", value("hostaddr", "localhost")), value("port", "5432"),
                     value("dbname", value("user", "(default)")));
}

}  // namespace regressd::storage
