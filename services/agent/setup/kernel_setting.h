#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/agent/setup/journal.h"
#include "services/agent/setup/machine.h"

namespace regressd::agent {

/// A knob of memory management: "vm.<name>" of sysctl, or "transparent_hugepage.enabled".
struct KernelSetting {
  std::string key;
  std::string value;

  friend bool operator==(const KernelSetting&, const KernelSetting&) = default;
};

/// Checks the key. Errors: InvalidArgument for any other knob of the machine.
absl::StatusOr<KernelSetting> MakeKernelSetting(std::string_view key, std::string_view value);
/// Reads "vm.swappiness=10".
absl::StatusOr<KernelSetting> ParseKernelSetting(std::string_view text);

/// What it is now, words separated by one blank. Errors: NotFound when this kernel has no such
/// knob; PermissionDenied.
absl::StatusOr<std::string> ReadKernelSetting(const Machine& machine, const std::string& key);

/// Notes the value until now, sets the new one and looks whether the kernel took it.
/// Errors: as ReadKernelSetting; InvalidArgument when the kernel did not take it.
absl::Status ApplyKernelSetting(const Machine& machine, const KernelSetting& setting,
                                Journal* journal);

/// Undoes a kSetting.
absl::Status RestoreKernelSetting(const Machine& machine, const Change& change);

}  // namespace regressd::agent
