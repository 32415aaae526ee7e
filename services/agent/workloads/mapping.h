#pragma once

#include <sys/types.h>

#include <cstdint>

namespace regressd::agent {

enum class HugePages {
  kDefault,  ///< As the system is set.
  kAlways,   ///< madvise(MADV_HUGEPAGE).
  kNever,    ///< madvise(MADV_NOHUGEPAGE).
};

struct MappingOptions {
  std::int64_t size_bytes = 0;
  int fd = -1;                                 ///< -1: anonymous memory.
  bool shared = false;                         ///< MAP_SHARED; otherwise MAP_PRIVATE.
  bool writable = true;                        ///< Otherwise only PROT_READ.
  HugePages huge_pages = HugePages::kDefault;  ///< Of anonymous memory.
  bool populate = false;                       ///< The kernel fills it before it is touched.
};

/// Memory mapped into this process, unmapped with it. One thread.
class Mapping {
 public:
  Mapping() = default;
  explicit Mapping(const MappingOptions& options);
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping() { Unmap(); }

  bool valid() const { return memory_ != nullptr; }
  int error() const { return error_; }  ///< errno when it is not valid.
  volatile char* bytes() const { return static_cast<volatile char*>(memory_); }
  volatile std::uint64_t* words() const { return static_cast<volatile std::uint64_t*>(memory_); }
  std::int64_t size_bytes() const { return size_bytes_; }

  /// madvise over all of it; 0 or errno.
  int Advise(int advice) const;
  void Unmap();

 private:
  void* memory_ = nullptr;
  std::int64_t size_bytes_ = 0;
  int error_ = 0;
};

}  // namespace regressd::agent
