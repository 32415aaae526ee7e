#include "services/agent/workloads/file_read.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "services/agent/workloads/mapping.h"
#include "services/agent/workloads/memory_facts.h"
#include "services/agent/workloads/page_cache.h"
#include "services/agent/workloads/task_group.h"
#include "services/agent/workloads/temporary_file.h"
#include "services/agent/workloads/throughput.h"

namespace regressd::agent {
namespace {

constexpr std::int64_t kWordBytes = sizeof(std::uint64_t);
constexpr std::int64_t kChunkBytes = 1024 * 1024;

/// Fills the file and drops it from the page cache. 0 or errno.
int WriteFile(int fd, std::int64_t size_bytes, const ContentSource& source) {
  std::vector<std::uint64_t> chunk(kChunkBytes / kWordBytes);
  for (std::int64_t at = 0; at < size_bytes;) {
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      chunk[i] = source.Word(static_cast<std::uint64_t>(at / kWordBytes) + i);
    }
    const std::int64_t wanted = std::min(kChunkBytes, size_bytes - at);
    const ssize_t written = pwrite(fd, chunk.data(), static_cast<std::size_t>(wanted), at);
    if (written < 0 && errno != EINTR) return errno;
    at += std::max<ssize_t>(written, 0) / kWordBytes * kWordBytes;
  }
  // Dirty pages cannot be dropped.
  if (fdatasync(fd) != 0) return errno;
  return posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

class ReadTask : public Task {
 public:
  ReadTask(const FileReadOptions& options, std::int64_t share_bytes, int index)
      : options_(options),
        share_bytes_(share_bytes),
        source_(options.content, static_cast<std::uint64_t>(index)) {}

  int Prepare() override {
    absl::StatusOr<UniqueFd> file = MakeTemporaryFile(options_.directory, share_bytes_);
    if (!file.ok()) return errno != 0 ? errno : EIO;
    file_ = *std::move(file);
    buffer_.resize(static_cast<std::size_t>(options_.block_bytes));
    return options_.sparse ? 0 : WriteFile(file_.get(), share_bytes_, source_);
  }

  void Work(TaskSlot& slot, const std::atomic<bool>& stop) override {
    if (options_.access == FileAccess::kReadOnce) {
      ReadOnce(slot, stop);
    } else {
      ReadMapped(slot, stop);
    }
  }

  void Release() override { mapping_.Unmap(); }

 private:
  void ReadOnce(TaskSlot& slot, const std::atomic<bool>& stop) {
    std::int64_t count = 0;
    while (count < share_bytes_ && !stop.load(std::memory_order_relaxed)) {
      const ssize_t got = read(file_.get(), buffer_.data(), buffer_.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        slot.error = got < 0 ? errno : EIO;
        return;
      }
      count += got;
      slot.operation_count.store(count, std::memory_order_relaxed);
    }
  }

  void ReadMapped(TaskSlot& slot, const std::atomic<bool>& stop) {
    mapping_ =
        Mapping({.size_bytes = share_bytes_, .fd = file_.get(), .shared = true, .writable = false});
    if (!mapping_.valid()) {
      slot.error = mapping_.error();
      return;
    }
    const volatile std::uint64_t* words = mapping_.words();
    const std::int64_t page_bytes = sysconf(_SC_PAGESIZE);
    for (std::int64_t at = 0; at < share_bytes_ && !stop.load(std::memory_order_relaxed);) {
      const std::int64_t end = std::min(at + page_bytes, share_bytes_);
      for (; at < end; at += kWordBytes) static_cast<void>(words[at / kWordBytes]);
      slot.operation_count.store(end, std::memory_order_relaxed);
    }
  }

  const FileReadOptions& options_;
  const std::int64_t share_bytes_;
  const ContentSource source_;
  UniqueFd file_;
  std::vector<char> buffer_;
  Mapping mapping_;
};

/// Whether what is read there gets into the page cache: holes of tmpfs do not.
absl::Status CheckFileSystem(const FileReadOptions& options) {
  const absl::StatusOr<UniqueFd> file = MakeTemporaryFile(options.directory, kChunkBytes);
  if (!file.ok()) return file.status();
  std::vector<char> buffer(kChunkBytes);
  if (pread(file->get(), buffer.data(), buffer.size(), 0) != kChunkBytes) {
    return absl::UnavailableError(
        fmt::format("cannot read a file in {}", TemporaryDirectory(options.directory).string()));
  }
  const absl::StatusOr<double> share = CachedShare(file->get(), kChunkBytes, kChunkBytes);
  if (!share.ok()) return share.status();
  if (*share > 0.5) return absl::OkStatus();
  return absl::FailedPreconditionError(fmt::format(
      "reading a hole of {} brought {:.0f} % of it into the page cache; this file system "
      "keeps no holes there (tmpfs?): choose another with --dir",
      TemporaryDirectory(options.directory).string(), 100 * *share));
}

absl::Status CheckRoom(const FileReadOptions& options, std::int64_t size_bytes) {
  if (options.sparse) return CheckFileSystem(options);
  const absl::StatusOr<std::int64_t> free_bytes = FreeBytes(options.directory);
  if (!free_bytes.ok()) return free_bytes.status();
  if (size_bytes <= *free_bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(fmt::format(
      "{} MiB of files are more than the {} MiB free in {}; lower --size, choose another "
      "--dir, or leave the files sparse",
      size_bytes >> 20, *free_bytes >> 20, TemporaryDirectory(options.directory).string()));
}

absl::Status CheckRead(const FileReadOptions& options, std::int64_t share_bytes,
                       const GroupMeasure& measure) {
  const bool timed_out =
      measure.window_seconds * 1000 >= static_cast<double>(options.runtime.count());
  for (const TaskMeasure& task : measure.tasks) {
    if (task.total_operations == share_bytes || timed_out) continue;
    return absl::FailedPreconditionError(
        fmt::format("a task read {} of {} bytes", task.total_operations, share_bytes));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<WorkloadResult> RunFileRead(const FileReadOptions& options) {
  const std::int64_t page_bytes = sysconf(_SC_PAGESIZE);
  const absl::StatusOr<MemoryFacts> facts = ReadMemoryFacts();
  if (!facts.ok()) return facts.status();
  const std::int64_t memory_bytes =
      std::min(facts->limit_bytes.value_or(facts->total_bytes), facts->total_bytes);
  const std::int64_t size_bytes = options.size_bytes == 0 ? 2 * memory_bytes : options.size_bytes;
  const std::int64_t share_bytes =
      size_bytes / std::max(options.task_count, 1) / page_bytes * page_bytes;
  if (share_bytes == 0 || options.block_bytes < 1) {
    return absl::InvalidArgumentError(fmt::format(
        "--size must be at least a page of {} bytes for each task, and --block at least 1",
        page_bytes));
  }
  if (absl::Status status = CheckRoom(options, size_bytes); !status.ok()) return status;
  absl::StatusOr<std::int64_t> before = ReclaimedFilePages();
  absl::StatusOr<GroupMeasure> measure = CompleteTasks(
      {.task_count = options.task_count,
       .threads = options.threads,
       .pin = options.pin,
       .runtime = options.runtime,
       .at_start = [&] { before = ReclaimedFilePages(); }},
      [&](int index) { return std::make_unique<ReadTask>(options, share_bytes, index); });
  if (!measure.ok()) return measure.status();
  const absl::StatusOr<std::int64_t> after = ReclaimedFilePages();
  if (absl::Status status = CheckRead(options, share_bytes, *measure); !status.ok()) return status;
  WorkloadResult result = DescribeThroughput(*measure, 1);
  if (before.ok() && after.ok()) {
    result.lines.push_back(
        {.name = "reclaimed", .value = static_cast<double>(*after - *before), .unit = "pages"});
  }
  return result;
}

}  // namespace regressd::agent
