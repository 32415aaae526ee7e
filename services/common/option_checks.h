#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <string>

#include "services/common/server_address.h"

/// Checks of command-line options that our programs share.
namespace regressd::common {

/// A number from `min` to `max`. CLI::Range takes NaN, which no comparison shuts out.
inline CLI::Validator FiniteRange(double min, double max) {
  return CLI::Validator(
      [min, max](std::string& text) {
        double value = 0;
        if (CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value >= min &&
            value <= max) {
          return std::string();
        }
        return fmt::format("\"{}\" is no number from {} to {}", text, min, max);
      },
      fmt::format("NUMBER in [{} - {}]", min, max));
}

/// CheckServerAddress for an option.
inline CLI::Validator IsServerAddress() {
  return CLI::Validator(
      [](std::string& text) { return std::string(CheckServerAddress(text).message()); }, "");
}

}  // namespace regressd::common
