#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/model/axes.h"
#include "services/model/commit.h"
#include "storage/libpq_connection.h"

namespace regressd::storage {

/// Adds what a run says of its axes. Errors: Internal when other axes have the same id.
absl::Status AddAxes(LibpqConnection& connection, const model::Axes& axes);

/// The normal commit that a run names, under the id that it has here: the full sha where exactly
/// one commit has that name (first digits, describe, tag), otherwise the name. The same for the
/// base of a patch. A name that means several commits is taken as the one that `run_id` was opened
/// with. Errors: InvalidArgument when it means several otherwise, or a branch.
absl::StatusOr<model::Commit> ResolveRunCommit(LibpqConnection& connection, model::Commit commit,
                                               std::int64_t run_id);

/// Adds what a run says of its commit, which is normal (commit_rules.h); what is known and not
/// empty stays, also where the run says otherwise: a run is no authority on history. Parents that
/// contradict known ones, or by which a commit would be its own ancestor, are not taken; then the
/// result says so, for the run's notes. It is empty otherwise.
absl::StatusOr<std::string> AddRunCommit(LibpqConnection& connection, const model::Commit& commit,
                                         std::string_view created_by);

}  // namespace regressd::storage
