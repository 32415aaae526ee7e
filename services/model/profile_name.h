#pragma once

#include <string_view>

namespace regressd::model {

/// The function as its source names it: what a compiler adds to a copy or a part of a function is
/// cut off, and what stands behind it: ".isra.N", ".constprop.N" and ".part.N" as LKP does, and
/// ".cold", since the cold part is of the same function. A view into `symbol`.
std::string_view FunctionName(std::string_view symbol);

/// The event of a profile's metric: "cpu-clock" of "perf-profile.cpu-clock". Another text is the
/// event itself. A view into `metric_name`.
std::string_view ProfileEvent(std::string_view metric_name);

}  // namespace regressd::model
