#include "tests/bench/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace regressd::bench {
namespace {

std::string Number(const std::optional<double>& value) {
  if (!value) return "-";
  return std::abs(*value) < 1e4 ? fmt::format("{:.4g}", *value) : fmt::format("{:.0f}", *value);
}

std::string_view Word(Better better) { return better == Better::kLower ? "lower" : "higher"; }

std::string_view Outcome(const Figure& figure) {
  if (!figure.must) return "";
  if (!figure.value) return "NOT MEASURED";
  return MeetsMust(figure) ? "met" : "MISSED";
}

nlohmann::json OptionalNumber(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

}  // namespace

bool MeetsMust(const Figure& figure) {
  if (!figure.must) return true;
  if (!figure.value) return false;
  return figure.better == Better::kLower ? *figure.value <= *figure.must
                                         : *figure.value >= *figure.must;
}

std::string RenderTable(const std::vector<std::string>& machine,
                        const std::vector<Figure>& figures) {
  std::string text;
  for (const std::string& line : machine) text += fmt::format("# {}\n", line);
  std::size_t width = 4;
  for (const Figure& figure : figures) width = std::max(width, figure.name.size());
  text += fmt::format("{:<{}}  {:>10} {:<10} {:>10} {:>10}  {:<6}  {}\n", "name", width, "value",
                      "unit", "must", "want", "better", "outcome");
  for (const Figure& figure : figures) {
    text += fmt::format("{:<{}}  {:>10} {:<10} {:>10} {:>10}  {:<6}  {}{}{}\n", figure.name, width,
                        Number(figure.value), figure.unit, Number(figure.must), Number(figure.want),
                        Word(figure.better), Outcome(figure), figure.note.empty() ? "" : "  ",
                        figure.note);
  }
  return text;
}

std::string RenderJsonLines(const std::vector<std::string>& machine,
                            const std::vector<Figure>& figures) {
  std::string text = nlohmann::json{{"machine", machine}}.dump() + "\n";
  for (const Figure& figure : figures) {
    nlohmann::json line{{"name", figure.name},
                        {"value", OptionalNumber(figure.value)},
                        {"unit", figure.unit},
                        {"must", OptionalNumber(figure.must)},
                        {"want", OptionalNumber(figure.want)},
                        {"better", Word(figure.better)},
                        {"meets_must", MeetsMust(figure)},
                        {"note", figure.note}};
    if (!figure.runs.empty()) line["runs"] = figure.runs;
    text += line.dump() + "\n";
  }
  return text;
}

}  // namespace regressd::bench
