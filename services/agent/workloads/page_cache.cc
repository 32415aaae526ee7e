#include "services/agent/workloads/page_cache.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace regressd::agent {

absl::StatusOr<double> CachedShare(int fd, std::int64_t end_bytes, std::int64_t size_bytes) {
  const std::int64_t page_bytes = sysconf(_SC_PAGESIZE);
  const std::int64_t begin =
      std::max<std::int64_t>(0, end_bytes - size_bytes) / page_bytes * page_bytes;
  const auto size = static_cast<std::size_t>(end_bytes - begin);
  void* memory = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, begin);
  if (memory == MAP_FAILED) {
    return absl::UnavailableError(fmt::format("cannot map a file: {}", std::strerror(errno)));
  }
  const auto page = static_cast<std::size_t>(page_bytes);
  std::vector<unsigned char> resident((size + page - 1) / page);
  const int result = mincore(memory, size, resident.data());
  const int error = errno;
  munmap(memory, size);
  if (result != 0) {
    return absl::UnavailableError(
        fmt::format("cannot look into the page cache of a file: {}", std::strerror(error)));
  }
  // Only the lowest bit is defined.
  const auto count = std::count_if(resident.begin(), resident.end(),
                                   [](unsigned char state) { return (state & 1) != 0; });
  return static_cast<double>(count) / static_cast<double>(resident.size());
}

absl::StatusOr<std::int64_t> ReclaimedFilePages() {
  std::ifstream vmstat("/proc/vmstat");
  std::string name;
  std::int64_t count = 0;
  while (vmstat >> name >> count) {
    if (name == "pgsteal_file") return count;
  }
  return absl::UnavailableError("/proc/vmstat has no pgsteal_file; it needs Linux 5.8");
}

}  // namespace regressd::agent
