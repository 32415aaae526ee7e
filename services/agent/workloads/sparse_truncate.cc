#include "services/agent/workloads/sparse_truncate.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "services/agent/unique_fd.h"
#include "services/agent/workloads/guarded_directory.h"
#include "services/agent/workloads/page_cache.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

volatile sig_atomic_t stop_requested = 0;

/// Turns SIGINT and SIGTERM into a flag, so that the files can be removed.
class StopFlag {
 public:
  StopFlag() {
    stop_requested = 0;
    struct sigaction action = {};
    action.sa_handler = [](int) { stop_requested = 1; };
    sigaction(SIGINT, &action, &old_int_);
    sigaction(SIGTERM, &action, &old_term_);
  }
  StopFlag(const StopFlag&) = delete;
  StopFlag& operator=(const StopFlag&) = delete;
  ~StopFlag() {
    sigaction(SIGINT, &old_int_, nullptr);
    sigaction(SIGTERM, &old_term_, nullptr);
  }

 private:
  struct sigaction old_int_ = {};
  struct sigaction old_term_ = {};
};

absl::Status FileError(std::string_view what, const fs::path& path) {
  return absl::UnavailableError(
      fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(errno)));
}

fs::path PathOf(const fs::path& root, const SparseTruncateOptions& options, int i) {
  return root / fmt::format("d{}", i % options.directory_count) / fmt::format("f{}", i);
}

absl::Status MakeFile(const fs::path& path, std::int64_t size_bytes) {
  const UniqueFd file(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file.valid()) return FileError("create", path);
  if (ftruncate(file.get(), size_bytes) != 0) return FileError("extend", path);
  return absl::OkStatus();
}

absl::Status ReadOnce(const fs::path& path, std::vector<char>* buffer) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return FileError("open", path);
  ssize_t got = 0;
  while ((got = read(file.get(), buffer->data(), buffer->size())) != 0) {
    if (got < 0 && errno != EINTR) return FileError("read", path);
    if (stop_requested != 0) break;
  }
  return absl::OkStatus();
}

/// Microseconds of one truncation. The file is opened before and closed after the clock.
absl::StatusOr<double> TimeOne(const fs::path& path, bool by_unlink) {
  if (by_unlink) {
    const Clock::time_point begin = Clock::now();
    if (unlink(path.c_str()) != 0) return FileError("unlink", path);
    return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
  }
  const UniqueFd file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.valid()) return FileError("open", path);
  const Clock::time_point begin = Clock::now();
  if (ftruncate(file.get(), 0) != 0) return FileError("truncate", path);
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

absl::Status Fill(const fs::path& root, const SparseTruncateOptions& options) {
  for (int i = 0; i < options.file_count; ++i) {
    absl::Status status = MakeFile(PathOf(root, options, i), options.file_size_bytes);
    if (!status.ok()) return status;
    if (stop_requested != 0) return absl::CancelledError("told to stop");
  }
  std::vector<char> buffer(1024 * 1024);
  for (int i = 0; i < options.file_count; ++i) {
    absl::Status status = ReadOnce(PathOf(root, options, i), &buffer);
    if (!status.ok()) return status;
    if (stop_requested != 0) return absl::CancelledError("told to stop");
  }
  // The last one read: earlier ones may rightly have been reclaimed when memory is small.
  const fs::path last = PathOf(root, options, options.file_count - 1);
  const UniqueFd file(open(last.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return FileError("open", last);
  const absl::StatusOr<double> share =
      CachedShare(file.get(), options.file_size_bytes, options.file_size_bytes);
  if (!share.ok()) return share.status();
  if (*share < 0.5) {
    return absl::FailedPreconditionError(
        fmt::format("reading {} brought {:.0f} % of it into the page cache; this file system keeps "
                    "no holes there (tmpfs?): choose another with --dir",
                    last.string(), 100 * *share));
  }
  return absl::OkStatus();
}

absl::Status Round(const fs::path& root, const SparseTruncateOptions& options,
                   std::vector<double>* times_us) {
  if (absl::Status status = Fill(root, options); !status.ok()) return status;
  for (int i = 0; i < options.file_count; ++i) {
    const fs::path path = PathOf(root, options, i);
    const absl::StatusOr<double> time_us = TimeOne(path, options.unlink);
    if (!time_us.ok()) return time_us.status();
    times_us->push_back(*time_us);
    if (stop_requested != 0) return absl::CancelledError("told to stop");
  }
  for (int i = 0; i < options.file_count; ++i) {
    const fs::path path = PathOf(root, options, i);
    struct stat info = {};
    const bool there = stat(path.c_str(), &info) == 0;
    if (there == options.unlink || (there && info.st_size != 0)) {
      return absl::FailedPreconditionError(
          fmt::format("{} is not truncated afterwards", path.string()));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<WorkloadResult> RunSparseTruncate(const SparseTruncateOptions& options) {
  if (options.file_count < 1 || options.directory_count < 1 || options.round_count < 1 ||
      options.file_size_bytes < 1) {
    return absl::InvalidArgumentError(
        "--files, --directories, --rounds and --file-size must be at least 1");
  }
  const StopFlag stop_flag;
  absl::StatusOr<GuardedDirectory> root = GuardedDirectory::Create(options.directory);
  if (!root.ok()) return root.status();
  for (int i = 0; i < options.directory_count; ++i) {
    const fs::path directory = root->path() / fmt::format("d{}", i);
    if (mkdir(directory.c_str(), 0700) != 0) return FileError("make", directory);
  }
  std::vector<double> times_us;
  for (int i = 0; i < options.round_count; ++i) {
    if (absl::Status status = Round(root->path(), options, &times_us); !status.ok()) return status;
  }
  const auto count = static_cast<double>(times_us.size());
  const double sum_us = std::accumulate(times_us.begin(), times_us.end(), 0.0);
  WorkloadResult result;
  result.lines = {{.name = "count", .value = count, .unit = "", .better = "neither"},
                  {.name = "mean", .value = sum_us / count, .unit = "us", .better = "lower"}};
  result.observations = {
      {.name = "Time", .unit = "us", .better = "lower", .values = std::move(times_us)}};
  return result;
}

}  // namespace regressd::agent
