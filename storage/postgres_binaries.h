#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace regressd::storage {

/// The schema uses what came with it: lz4 compression of columns.
inline constexpr int kOldestPostgres = 14;

/// An installed PostgreSQL server.
struct PostgresBinaries {
  std::filesystem::path directory;  ///< Holds postgres and initdb.
  int major_version = 0;
};

/// The servers installed here, newest first: those of `bin_dir` alone when it is not empty, else
/// those of /usr/lib/postgresql/*/bin and of the colon-separated `search_path`. Errors: NotFound,
/// saying what to install or set.
absl::StatusOr<std::vector<PostgresBinaries>> FindPostgresBinaries(
    const std::filesystem::path& bin_dir, std::string_view search_path);

/// The binaries that can serve `cluster_directory`: of its own major version when it holds a
/// cluster, else the newest. `installed` is not empty. Errors: FailedPrecondition when none has
/// that version; it names both.
absl::StatusOr<PostgresBinaries> ChooseBinaries(const std::vector<PostgresBinaries>& installed,
                                                const std::filesystem::path& cluster_directory);

}  // namespace regressd::storage
