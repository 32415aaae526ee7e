#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "services/parse/problem.h"

namespace regressd::parse {

/// One line of `perf lock contention`: waits at one place in the kernel.
struct LockContention {
  std::int64_t contended_count = 0;
  double total_wait_us = 0;
  std::string type;      ///< "spinlock", "rwsem:W", "mutex".
  std::string function;  ///< Who waited, without offset and compiler suffix.
};

struct LockContentionText {
  std::vector<LockContention> places;  ///< A function may stand there several times.
  Problems problems;
};

/// Reads the table that perf 6.1 to 6.18 print: "contended total-wait max-wait avg-wait type
/// caller", the waits with their units.
LockContentionText ParseLockContention(std::string_view text);

/// The kernel lock that a function waits for, as far as its name tells: "lru_lock", "swap",
/// "zone_lock", "zram", "mmap_lock", "page_table", "anon_vma", "memcg"; else "other".
std::string_view LockOf(std::string_view function);

/// All that LockOf may say.
const std::vector<std::string_view>& LockNames();

}  // namespace regressd::parse
