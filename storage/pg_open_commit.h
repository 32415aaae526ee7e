#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "services/model/axes.h"
#include "services/model/commit.h"
#include "storage/libpq_connection.h"

namespace regressd::storage {

/// Adds what a run says of its axes. Errors: Internal when other axes have the same id.
absl::Status AddAxes(LibpqConnection& connection, const model::Axes& axes);

/// Adds what a run says of its commit, which is normal (commit_rules.h); what is known and not
/// empty stays, also where the run says otherwise: a run is no authority on history. Parents by
/// which a commit would be its own ancestor are not taken.
absl::Status AddRunCommit(LibpqConnection& connection, const model::Commit& commit,
                          std::string_view created_by);

}  // namespace regressd::storage
