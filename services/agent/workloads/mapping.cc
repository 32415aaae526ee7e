#include "services/agent/workloads/mapping.h"

#include <sys/mman.h>

#include <cerrno>
#include <utility>

namespace regressd::agent {

Mapping::Mapping(const MappingOptions& options) : size_bytes_(options.size_bytes) {
  const int populate = options.populate ? MAP_POPULATE : 0;
  const int protection = PROT_READ | (options.writable ? PROT_WRITE : 0);
  const int flags =
      (options.shared ? MAP_SHARED : MAP_PRIVATE) | (options.fd < 0 ? MAP_ANONYMOUS : 0);
  // Advice must come before the first page, so a populated mapping with advice is filled by
  // madvise.
  const bool advised = options.huge_pages != HugePages::kDefault;
  void* memory = mmap(nullptr, static_cast<std::size_t>(size_bytes_), protection,
                      flags | (advised ? 0 : populate), options.fd, 0);
  if (memory == MAP_FAILED) {
    error_ = errno;
    return;
  }
  memory_ = memory;
  if (!advised) return;
  error_ = Advise(options.huge_pages == HugePages::kAlways ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  if (error_ == 0 && options.populate) error_ = Advise(MADV_POPULATE_WRITE);
  if (error_ != 0) Unmap();
}

Mapping::Mapping(Mapping&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      size_bytes_(other.size_bytes_),
      error_(other.error_) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  if (this == &other) return *this;
  Unmap();
  memory_ = std::exchange(other.memory_, nullptr);
  size_bytes_ = other.size_bytes_;
  error_ = other.error_;
  return *this;
}

int Mapping::Advise(int advice) const {
  return madvise(memory_, static_cast<std::size_t>(size_bytes_), advice) == 0 ? 0 : errno;
}

void Mapping::Unmap() {
  if (memory_ != nullptr) munmap(memory_, static_cast<std::size_t>(size_bytes_));
  memory_ = nullptr;
}

}  // namespace regressd::agent
