// Makes the logger before any thread exists. Its first use makes it inside the system's spdlog,
// which ThreadSanitizer cannot see into: two threads that log first would look like a race.

#include <spdlog/spdlog.h>

namespace regressd::test {
namespace {

[[maybe_unused]] const bool kLoggerIsMade = spdlog::default_logger() != nullptr;

}  // namespace
}  // namespace regressd::test
