#pragma once

#include <optional>
#include <string>
#include <vector>

namespace regressd::bench {

enum class Better { kLower, kHigher };

/// One figure that the project promises, as measured now.
struct Figure {
  std::string name;             ///< "agent CPU, all /proc monitors at 1 s".
  std::optional<double> value;  ///< Unset: could not be measured, which counts as missed.
  std::string unit;
  std::optional<double> must;  ///< The limit; unset when the figure is only shown.
  std::optional<double> want;  ///< The aim.
  Better better = Better::kLower;
  std::string note;               ///< Why it could not be measured, or how it was.
  std::vector<double> runs = {};  ///< Single values in order of measuring; only in JSON lines.
};

/// False when a figure with a must misses it or has no value.
bool MeetsMust(const Figure& figure);

/// A table for people: name, value, unit, must, want, better, and "MISSED" where it is so.
std::string RenderTable(const std::vector<std::string>& machine,
                        const std::vector<Figure>& figures);

/// The same as JSON lines: first the machine, then a line a figure.
std::string RenderJsonLines(const std::vector<std::string>& machine,
                            const std::vector<Figure>& figures);

}  // namespace regressd::bench
