#include "services/ctl/command.h"

#include <fmt/format.h>

#include "services/ctl/arguments.h"
#include "services/report/text.h"

namespace regressd::ctl {
namespace {

std::string CheckAxis(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos && equals > 0) return "";
  // "testcase:swap-w-seq" and "testcase" are the slips that people make.
  const std::size_t end = text.find_first_of(":= ");
  const std::string key = end == 0 || text.empty() ? "testcase" : text.substr(0, end);
  const std::string value =
      end == std::string::npos || end + 1 >= text.size() ? "VALUE" : text.substr(end + 1);
  return fmt::format("\"{}\" is no axis; write KEY=VALUE, perhaps {}={}", report::OneLine(text),
                     report::OneLine(key), report::OneLine(value));
}

}  // namespace

void AddAxisOption(CLI::App* app, std::vector<std::string>* axes) {
  app->add_option("--axis", *axes, "Only with this axis; may be given again")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->check(CLI::Validator(CheckAxis, ""));
  app->parse_complete_callback([axes] {
    std::map<std::string, std::string> seen;
    for (const std::string& axis : *axes) {
      const auto [at, added] = seen.emplace(axis.substr(0, axis.find('=')), axis);
      if (!added) {
        throw CLI::ValidationError("--axis",
                                   fmt::format("{} and {} are of one axis; give each axis once",
                                               report::OneLine(at->second), report::OneLine(axis)));
      }
    }
  });
}

model::Axes AxesOf(const std::vector<std::string>& axes) {
  model::Axes result;
  for (const std::string& axis : axes) {
    const std::size_t equals = axis.find('=');
    result.Set(axis.substr(0, equals), axis.substr(equals + 1));
  }
  return result;
}

void AddLimitOption(CLI::App* app, std::int32_t* limit) {
  app->add_option("--limit", *limit, "At most so many")
      ->capture_default_str()
      ->check(WholeNumber(1, 1'000'000, "a number of rows"));
}

void AddFormatOption(CLI::App* app, Format* format, const std::string& first_name) {
  const std::map<std::string, Format> names = {
      {first_name, Format::kTable}, {"json", Format::kJson}, {"csv", Format::kCsv}};
  CLI::Option* option =
      app->add_option("--format", *format, "How to print")
          ->type_name(first_name + "|json|csv")
          ->transform(CLI::CheckedTransformer(names, CLI::ignore_case).description(""));
  app->add_flag_callback(
         "--json", [format] { *format = Format::kJson; }, "Short for --format json")
      ->excludes(option);
}

void Say(const Context& context, const std::string& text) {
  if (!context.quiet) fmt::print(stderr, "{}\n", text);
}

}  // namespace regressd::ctl
