#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/model/time.h"

namespace regressd::model {

/// A patch from a mailing list, applied on a base commit.
struct Patch {
  std::string message_id;      ///< Without < and >.
  std::string base_commit_id;  ///< What it was applied on.
  std::int32_t number = 0;     ///< 3 in "[PATCH v2 3/7]"; 0 for a whole series.
  std::int32_t total = 1;
  std::int32_t series_version = 1;
  std::string subject;
  std::string author;
};

/// The tested thing: a kernel, or a patch applied on one.
struct Commit {
  /// 40 hex digits, or a name that no commit is known by. For a patch: PatchCommitId of it.
  std::string commit_id;
  std::string describe;
  std::string subject;
  std::string author;
  std::optional<Time> author_time;
  std::vector<std::string> parent_ids;  ///< First parent first; empty when not known.
  bool root = false;                    ///< Known to have no parent.
  std::vector<std::string> branches;
  std::vector<std::string> tags;  ///< Names that stay on it, unlike branches.
  std::vector<std::string> trailers;
  std::optional<Patch> patch;
};

/// The id of a patch on its base in every table: "<message-id>@<base commit>", prefixed "patch:".
std::string PatchCommitId(const Patch& patch);

}  // namespace regressd::model
