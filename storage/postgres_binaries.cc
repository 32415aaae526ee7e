#include "storage/postgres_binaries.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>

#include "fmt/format.h"

namespace regressd::storage {
namespace {

namespace fs = std::filesystem;

// "postgres (PostgreSQL) 15.6 (Debian 15.6-1)" -> 15; development versions read "17devel".
std::optional<int> ParseMajor(std::string_view version) {
  const std::string_view mark = "(PostgreSQL) ";
  const std::size_t at = version.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  version.remove_prefix(at + mark.size());
  int major = 0;
  const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), major);
  if (error != std::errc{}) return std::nullopt;
  return major;
}

std::optional<PostgresBinaries> Inspect(const fs::path& directory) {
  const fs::path server = directory / "postgres";
  if (access(server.c_str(), X_OK) != 0 || access((directory / "initdb").c_str(), X_OK) != 0) {
    return std::nullopt;
  }
  std::string quoted;
  for (const char c : server.string())
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
      popen(fmt::format("'{}' --version 2>/dev/null", quoted).c_str(), "re"), &pclose);
  if (pipe == nullptr) return std::nullopt;
  char line[256] = "";
  if (fgets(line, sizeof line, pipe.get()) == nullptr) return std::nullopt;
  const std::optional<int> major = ParseMajor(line);
  if (!major) return std::nullopt;
  return PostgresBinaries{.directory = directory, .major_version = *major};
}

std::vector<fs::path> Candidates(std::string_view search_path) {
  std::vector<fs::path> directories;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", error)) {
    directories.push_back(entry.path() / "bin");
  }
  while (!search_path.empty()) {
    const std::size_t colon = std::min(search_path.find(':'), search_path.size());
    if (colon > 0 && search_path.front() == '/') {
      directories.emplace_back(search_path.substr(0, colon));
    }
    search_path.remove_prefix(std::min(colon + 1, search_path.size()));
  }
  return directories;
}

std::string Describe(const std::vector<PostgresBinaries>& installed) {
  std::string text;
  for (const PostgresBinaries& binaries : installed) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", binaries.major_version,
                        binaries.directory.string());
  }
  return text;
}

}  // namespace

absl::StatusOr<std::vector<PostgresBinaries>> FindPostgresBinaries(const fs::path& bin_dir,
                                                                   std::string_view search_path) {
  std::vector<PostgresBinaries> found;
  for (const fs::path& directory :
       bin_dir.empty() ? Candidates(search_path) : std::vector<fs::path>{bin_dir}) {
    if (auto binaries = Inspect(directory)) found.push_back(*std::move(binaries));
  }
  if (found.empty() && !bin_dir.empty()) {
    return absl::NotFoundError(
        fmt::format("{} does not hold the programs postgres and initdb", bin_dir.string()));
  }
  if (found.empty()) {
    return absl::NotFoundError(
        "no PostgreSQL server is installed (looked in /usr/lib/postgresql/*/bin and in PATH); "
        "install one (Debian: postgresql), say where it is with postgres.bin_dir, or give the URL "
        "of a running one with database.url");
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.major_version > b.major_version; });
  return found;
}

absl::StatusOr<PostgresBinaries> ChooseBinaries(const std::vector<PostgresBinaries>& installed,
                                                const fs::path& cluster_directory) {
  const fs::path version_file = cluster_directory / "PG_VERSION";
  if (!fs::exists(version_file)) {
    if (installed.front().major_version >= kOldestPostgres) return installed.front();
    return absl::FailedPreconditionError(
        fmt::format("PostgreSQL {} or newer is needed, and the servers found are {}",
                    kOldestPostgres, Describe(installed)));
  }
  int cluster_version = 0;
  std::ifstream(version_file) >> cluster_version;
  const auto match = std::find_if(installed.begin(), installed.end(), [&](const auto& binaries) {
    return binaries.major_version == cluster_version;
  });
  if (match != installed.end()) return *match;
  return absl::FailedPreconditionError(fmt::format(
      "{} was made by PostgreSQL {}, and the servers found are {}; install PostgreSQL {}, or bring "
      "the cluster to a newer version with pg_upgrade",
      cluster_directory.string(), cluster_version, Describe(installed), cluster_version));
}

}  // namespace regressd::storage
