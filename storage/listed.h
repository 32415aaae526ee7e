#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace regressd::storage {

/// A place in a list: what stands there, or why it cannot be read. SQL, or a newer version, may
/// have written what this version has no form for; that hides no other row.
template <typename Noun, typename Position>
struct Listed {
  Position position{};  ///< Where the list goes on after it; there also when it is unreadable.
  std::string name;     ///< For people: "run 0a1b...".
  absl::StatusOr<Noun> noun;  ///< Errors: Internal with the column and what stands in it.
};

}  // namespace regressd::storage
