#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/agent/setup/journal.h"
#include "services/agent/setup/machine.h"

namespace regressd::agent {

/// A swap space for one run.
struct SwapSpec {
  enum class Kind { kFile, kZram };
  Kind kind = Kind::kZram;
  std::int64_t size_bytes = 0;

  friend bool operator==(const SwapSpec&, const SwapSpec&) = default;
};

/// Reads "file:1G", "zram:256M". Errors: InvalidArgument.
absl::StatusOr<SwapSpec> ParseSwapSpec(std::string_view text);
/// Its one spelling.
std::string SwapSpecText(const SwapSpec& spec);

/// What the names of the directories of swap files begin with.
inline constexpr std::string_view kSwapDirectoryPrefix = "regress-agent-swap-";

/// Swaps onto "<parent>/regress-agent-swap-<run uuid>/swap", before every other swap space.
/// Errors: FailedPrecondition when the file system takes no swap files; ResourceExhausted when it
/// is full; PermissionDenied.
absl::Status MakeSwapFile(Machine& machine, std::int64_t size_bytes,
                          const std::filesystem::path& parent, std::string_view run_uuid,
                          Journal* journal);
/// Undoes a kSwapDirectory; `mounted` is false for one of an earlier boot.
absl::Status RemoveSwapFile(Machine& machine, const std::filesystem::path& directory, bool mounted);

/// Swaps onto a zram device of its own, before every other swap space.
/// Errors: NotFound when this kernel has no zram; PermissionDenied; ResourceExhausted.
absl::Status MakeZramSwap(Machine& machine, std::int64_t size_bytes, std::string_view run_uuid,
                          Journal* journal);
/// Undoes a kZramDevice, unless the number belongs to somebody else's device by now.
absl::Status RemoveZramSwap(Machine& machine, const std::string& number, std::string_view run_uuid);
/// Undoes a kZram that no kZramDevice followed: removes the devices without a size that there were
/// not before.
absl::Status RemoveUnnamedZram(Machine& machine, const std::string& numbers_before);

}  // namespace regressd::agent
