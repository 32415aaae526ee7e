#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace regressd::agent {

/// What perf-stat counts unless it is told otherwise.
std::vector<std::string> SoftwareEvents();
std::vector<std::string> HardwareEvents();

/// Tracepoints for a testcase, by words in its name ("swap-w-seq", "page-fault1",
/// "sparsetruncate"): those of reclaim and writeback for all, more where the name says what it is
/// about. Only rare ones: a tracepoint on each page (pagemap:mm_lru_insertion,
/// filemap:mm_filemap_add_to_page_cache) would slow down what is measured; --perf-event takes them.
std::vector<std::string> TracepointsFor(std::string_view testcase);

/// Events that a plain user may count of the command itself: in user space only. Switches and
/// migrations happen in the kernel and would always read 0.
std::vector<std::string> CommandEvents();

}  // namespace regressd::agent
