#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/model/commit.h"

namespace regressd::ctl {

struct GitRange {
  std::string repository;  ///< Path of a work tree or a bare repository.
  std::string range;       ///< As for git log: "v6.12..v6.13", "HEAD", "a..b ^c".
  bool describe = false;   ///< Also ask git for a name by tags; slow on large ranges.
};

/// Commits in the range. Errors: InvalidArgument with what git said.
absl::StatusOr<std::int64_t> CountCommits(const GitRange& range);

/// Gives the commits of the range to `take`, newest first: id, parents, author, time, subject, the
/// trailers Fixes, Link and Closes. A commit without parents is a root, except where a shallow
/// clone ends: there its parents are not known. Bytes that are not UTF-8 are spelled out.
/// Errors: that of `take`; InvalidArgument with what git said.
absl::Status ReadCommits(const GitRange& range,
                         const std::function<absl::Status(model::Commit)>& take);

}  // namespace regressd::ctl
