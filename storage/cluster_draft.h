#pragma once

#include <filesystem>
#include <optional>

#include "absl/status/statusor.h"
#include "storage/child_process.h"

namespace regressd::storage {

/// A cluster is made in a draft beside its place and moved there whole. Each draft has a name of
/// its own: the initdb of a regressd that was killed may still write into the one before.

/// Makes an empty draft in a data directory, `owner`'s (unset: ours), with mode 0700.
/// Errors: PermissionDenied or Internal when it cannot be made.
absl::StatusOr<std::filesystem::path> MakeDraft(const std::filesystem::path& data_directory,
                                                const std::optional<UserIds>& owner);

/// Ends what still works in the drafts of earlier runs, and removes them. Nobody else may work in
/// the data directory. What cannot be removed is left, with a warning: it is in nobody's way.
void RemoveDrafts(const std::filesystem::path& data_directory);

}  // namespace regressd::storage
