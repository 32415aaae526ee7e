#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "services/agent/readers/result_reader.h"
#include "services/model/axes.h"

namespace regressd::agent {

/// One kind of output that can be read.
struct ReaderChoice {
  std::string_view name;
  std::string_view reads;    ///< For people: what output it is.
  std::string_view results;  ///< For people: the names of its results.
  bool needs_files = false;  ///< It reads nothing off the command's own outputs.
};

/// All of them, "name-value" first.
std::span<const ReaderChoice> AllReaders();

/// What a run says of itself that its output does not say.
struct ReaderContext {
  std::vector<std::string> command;
  model::Axes axes;  ///< nr_task and mode (process, thread) tell of what will-it-scale ran.
};

/// Errors: InvalidArgument, naming all that there are, for a name that is none.
absl::StatusOr<std::unique_ptr<ResultReader>> MakeReader(std::string_view name,
                                                         const ReaderContext& context);

}  // namespace regressd::agent
