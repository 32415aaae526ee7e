#include "services/agent/result_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "services/agent/recording.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;

// A log of that size is no log of results.
constexpr std::uintmax_t kMostBytes = std::uintmax_t{256} * 1024 * 1024;
// File systems stamp with a clock of coarser ticks, and those of a network with another machine's.
constexpr std::chrono::seconds kClockTolerance{1};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Takes the digits at the beginning off, without their leading zeros.
std::string_view TakeNumber(std::string_view* text) {
  std::size_t end = 0;
  while (end < text->size() && IsDigit((*text)[end])) ++end;
  std::string_view number = text->substr(0, end);
  text->remove_prefix(end);
  number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
  return number;
}

std::string WithoutPacking(const std::string& path) {
  for (const std::string_view end : {".gz", ".xz"}) {
    if (path.ends_with(end)) return path.substr(0, path.size() - end.size());
  }
  return path;
}

absl::StatusOr<std::vector<std::string>> FilesOf(const fs::path& directory,
                                                 const ResultReader& reader) {
  const auto& reads = reader.sources().file_of_directory;
  if (!reads) {
    return absl::InvalidArgumentError(
        fmt::format("{} is a directory; reader {} reads files", directory.string(), reader.name()));
  }
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(directory, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string();
    if (entry->is_regular_file(error) && reads(WithoutPacking(path))) files.push_back(path);
  }
  if (error) {
    return absl::UnavailableError(
        fmt::format("{}: cannot be searched: {}", directory.string(), error.message()));
  }
  if (files.empty()) {
    return absl::NotFoundError(
        fmt::format("{}: no file in it that reader {} knows", directory.string(), reader.name()));
  }
  std::sort(files.begin(), files.end(), InNaturalOrder);
  return files;
}

/// When a regular file was last written, if it may be read.
absl::StatusOr<model::Time> CheckFile(const std::string& file,
                                      std::optional<model::Time> not_before) {
  struct stat info = {};
  if (stat(file.c_str(), &info) != 0) {
    return absl::NotFoundError(fmt::format("{}: there is no such file", file));
  }
  if (static_cast<std::uintmax_t>(info.st_size) > kMostBytes) {
    return absl::InvalidArgumentError(fmt::format("{}: has {} MiB, more than the {} that are read",
                                                  file, info.st_size >> 20, kMostBytes >> 20));
  }
  const model::Time written(std::chrono::seconds(info.st_mtim.tv_sec) +
                            std::chrono::microseconds(info.st_mtim.tv_nsec / 1000));
  if (not_before && written + kClockTolerance < *not_before) {
    const auto text = absl::FormatTime(absl::RFC3339_sec,
                                       absl::FromUnixMicros(written.time_since_epoch().count()),
                                       absl::UTCTimeZone());
    return absl::FailedPreconditionError(fmt::format(
        "{}: written at {}, before the run began, so it is of an earlier run", file, text));
  }
  return written;
}

}  // namespace

bool InNaturalOrder(std::string_view left, std::string_view right) {
  const std::pair whole(left, right);
  while (!left.empty() && !right.empty()) {
    if (IsDigit(left.front()) && IsDigit(right.front())) {
      const std::string_view left_number = TakeNumber(&left);
      const std::string_view right_number = TakeNumber(&right);
      if (left_number.size() != right_number.size()) {
        return left_number.size() < right_number.size();
      }
      if (left_number != right_number) return left_number < right_number;
      continue;
    }
    if (left.front() != right.front()) return left.front() < right.front();
    left.remove_prefix(1);
    right.remove_prefix(1);
  }
  if (left.empty() != right.empty()) return left.empty();
  return whole.first < whole.second;  // "a01" and "a1": some order.
}

absl::StatusOr<std::optional<model::Time>> ReadResultFiles(std::span<const std::string> paths,
                                                           std::optional<model::Time> not_before,
                                                           ResultReader* reader, int interrupt_fd) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (path == "-" || !fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    absl::StatusOr<std::vector<std::string>> found = FilesOf(path, *reader);
    if (!found.ok()) return found.status();
    files.insert(files.end(), found->begin(), found->end());
  }
  std::optional<model::Time> newest;
  std::set<std::string> taken;
  for (const std::string& file : files) {
    // A log may be there packed and as it was.
    if (!taken.insert(WithoutPacking(file)).second) continue;
    if (file != "-") {
      const absl::StatusOr<model::Time> written = CheckFile(file, not_before);
      if (!written.ok()) return written.status();
      newest = std::max(newest.value_or(*written), *written);
    }
    const absl::StatusOr<std::string> text = ReadRecordingFile(file, interrupt_fd);
    if (!text.ok()) return text.status();
    reader->TakeFile(file == "-" ? "stdin" : WithoutPacking(file), *text);
  }
  return newest;
}

}  // namespace regressd::agent
