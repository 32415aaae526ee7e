#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <vector>

#include "services/agent/setup/size.h"
#include "services/agent/setup/swap_header.h"
#include "services/agent/setup/swap_space.h"
#include "services/agent/unique_fd.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;

constexpr int kHighestPriority = 32767;

fs::path FileIn(const fs::path& directory) { return directory / "swap"; }

/// Blocks for the whole file: swap spaces have no holes.
absl::Status Allocate(const fs::path& path, std::int64_t size_bytes) {
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.valid()) return SystemFailure("make", path, errno);
  if (fallocate(file.get(), 0, 0, size_bytes) == 0) return absl::OkStatus();
  if (errno != EOPNOTSUPP && errno != ENOSYS) {
    return SystemFailure(fmt::format("allocate {} for", SizeText(size_bytes)), path, errno);
  }
  const std::vector<char> zeros(1 << 20);
  for (std::int64_t left = size_bytes; left > 0;) {
    const auto part = std::min<std::int64_t>(left, static_cast<std::int64_t>(zeros.size()));
    const ssize_t written = write(file.get(), zeros.data(), static_cast<std::size_t>(part));
    if (written <= 0) {
      return SystemFailure(fmt::format("write {} to", SizeText(size_bytes)), path,
                           written < 0 ? errno : ENOSPC);
    }
    left -= written;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status MakeSwapFile(Machine& machine, std::int64_t size_bytes, const fs::path& parent,
                          std::string_view run_uuid, Journal* journal) {
  const fs::path directory =
      machine.At(parent.string()) / fmt::format("{}{}", kSwapDirectoryPrefix, run_uuid);
  absl::Status status = journal->Record({ChangeKind::kSwapDirectory, directory.string()});
  if (!status.ok()) return status;
  std::error_code error;
  if (!fs::create_directory(directory, error)) {
    return SystemFailure("make", directory, error ? error.value() : EEXIST);
  }
  fs::permissions(directory, fs::perms::owner_all, error);
  const fs::path file = FileIn(directory);
  status = Allocate(file, size_bytes);
  if (status.ok()) status = WriteSwapHeader(file, size_bytes, run_uuid);
  if (status.ok()) status = machine.SwapOn(file, kHighestPriority);
  if (!absl::IsInvalidArgument(status)) return status;
  return absl::FailedPreconditionError(fmt::format(
      "{}: the file system of {} takes no swap files (tmpfs, overlayfs, btrfs with copy on write); "
      "name a directory on ext4 or xfs with --swap-dir",
      std::string(status.message()), parent.string()));
}

absl::Status RemoveSwapFile(Machine& machine, const fs::path& directory, bool mounted) {
  if (!directory.filename().string().starts_with(kSwapDirectoryPrefix)) {
    return absl::InvalidArgumentError(
        fmt::format("{} is no directory of a swap file of ours", directory.string()));
  }
  if (!machine.Exists(directory)) return absl::OkStatus();
  if (mounted && machine.Exists(FileIn(directory))) {
    if (absl::Status status = machine.SwapOff(FileIn(directory)); !status.ok()) return status;
  }
  std::error_code error;
  fs::remove_all(directory, error);
  if (error) return SystemFailure("remove", directory, error.value());
  return absl::OkStatus();
}

}  // namespace regressd::agent
