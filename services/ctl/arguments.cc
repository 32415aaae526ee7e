#include "services/ctl/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "services/report/text.h"

namespace regressd::ctl {
namespace {

// The parser of the options would read 010 as 8.
bool IsWholeNumber(const std::string& text, std::int64_t min, std::int64_t max) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const bool octal = text.size() > 1 && text.front() == '0';
  return !octal && error == std::errc() && stop == end && number >= min && number <= max;
}

std::string CheckRegressionId(const std::string& text) {
  if (IsWholeNumber(text, 1, std::numeric_limits<std::int64_t>::max())) return "";
  return fmt::format(
      "\"{}\" is no id of a regression; that is a whole number from 1, the first column of "
      "`regressctl regressions`",
      report::OneLine(text));
}

std::string CheckRunId(const std::string& text) {
  constexpr std::ptrdiff_t kMinDigits = 4;
  constexpr std::ptrdiff_t kUuidDigits = 32;
  const auto is_digit = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  };
  const std::ptrdiff_t digit_count = std::count_if(text.begin(), text.end(), is_digit);
  const std::ptrdiff_t dash_count = std::count(text.begin(), text.end(), '-');
  const bool begins_well = !text.empty() && is_digit(text.front());
  if (begins_well && digit_count + dash_count == static_cast<std::ptrdiff_t>(text.size()) &&
      digit_count >= kMinDigits && digit_count <= kUuidDigits) {
    return "";
  }
  return fmt::format(
      "\"{}\" is no id of a run; that is a UUID, or at least its first {} hex digits, from the "
      "first column of `regressctl runs`",
      report::OneLine(text), kMinDigits);
}

}  // namespace

CLI::Validator WholeNumber(std::int64_t min, std::int64_t max, const std::string& what) {
  return CLI::Validator(
      [=](const std::string& text) {
        return IsWholeNumber(text, min, max)
                   ? std::string()
                   : fmt::format("\"{}\" is not {}: a whole number of {} to {}",
                                 report::OneLine(text), what, min, max);
      },
      "");
}

CLI::Validator NotEmpty() {
  return CLI::Validator(
      [](const std::string& text) {
        return text.find_first_not_of(" \t\r\n") != std::string::npos
                   ? std::string()
                   : std::string("is empty; give a value or leave it out");
      },
      "");
}

CLI::Option* AddRegressionId(CLI::App* app, std::int64_t* id) {
  return app->add_option("id", *id, "Its number, from `regressctl regressions`")
      ->required()
      ->type_name("ID")
      ->check(CLI::Validator(CheckRegressionId, ""));
}

CLI::Option* AddRunId(CLI::App* app, std::string* run) {
  return app->add_option("run", *run, "UUID or the first digits of it, from `regressctl runs`")
      ->required()
      ->type_name("RUN")
      ->check(CLI::Validator(CheckRunId, ""));
}

}  // namespace regressd::ctl
