#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "services/agent/setup/size.h"
#include "services/agent/setup/swap_header.h"
#include "services/agent/setup/swap_space.h"
#include "services/parse/text.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kControl = "/sys/class/zram-control";
constexpr int kHighestPriority = 32767;
constexpr std::chrono::seconds kPatience{5};
constexpr std::chrono::milliseconds kPause{20};

fs::path BlockOf(const Machine& machine, const std::string& number) {
  return machine.At("/sys/block/zram" + number);
}

fs::path DeviceOf(const Machine& machine, const std::string& number) {
  return machine.At("/dev/zram" + number);
}

/// Numbers of the zram devices that there are.
std::vector<std::string> ZramNumbers(const Machine& machine) {
  constexpr std::string_view kName = "zram";
  std::vector<std::string> numbers;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(machine.At("/sys/block"), error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kName)) numbers.push_back(name.substr(kName.size()));
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// A device is busy for a moment while somebody looks what it is, as udev does.
absl::Status Persist(const std::function<absl::Status()>& attempt) {
  const Clock::time_point deadline = Clock::now() + kPatience;
  for (;;) {
    const absl::Status status = attempt();
    if (!absl::IsFailedPrecondition(status) || Clock::now() >= deadline) return status;
    std::this_thread::sleep_for(kPause);
  }
}

absl::Status HotRemove(Machine& machine, const std::string& number) {
  return Persist([&] {
    absl::Status status = machine.Write(machine.At(kControl) / "hot_remove", number);
    return absl::IsNotFound(status) ? absl::OkStatus() : status;
  });
}

/// A device without a size holds nothing and is used by nobody.
bool HasSize(const Machine& machine, const std::string& number) {
  return machine.Read(BlockOf(machine, number) / "disksize").value_or("0") != "0";
}

}  // namespace

absl::Status MakeZramSwap(Machine& machine, std::int64_t size_bytes, std::string_view run_uuid,
                          Journal* journal) {
  const fs::path control = machine.At(kControl);
  if (!machine.Exists(control)) {
    return absl::NotFoundError(fmt::format(
        "{} is not there: this kernel has no zram, or its module is not loaded: sudo modprobe zram "
        "num_devices=0",
        control.string()));
  }
  absl::Status status = journal->Record(
      {ChangeKind::kZram, "", fmt::format("{}", fmt::join(ZramNumbers(machine), " "))});
  if (!status.ok()) return status;
  // Reading it makes a device.
  const absl::StatusOr<std::string> number = machine.Read(control / "hot_add");
  if (!number.ok()) return number.status();
  status = journal->Record({ChangeKind::kZramDevice, *number});
  if (status.ok()) {
    status = machine.Write(BlockOf(machine, *number) / "disksize", std::to_string(size_bytes));
  }
  const fs::path device = DeviceOf(machine, *number);
  if (status.ok()) status = WriteSwapHeader(device, size_bytes, run_uuid);
  if (status.ok()) status = machine.SwapOn(device, kHighestPriority);
  return status;
}

absl::Status RemoveZramSwap(Machine& machine, const std::string& number,
                            std::string_view run_uuid) {
  if (!parse::ToInt(number)) {
    return absl::InvalidArgumentError(fmt::format("{} is no zram device", parse::Quote(number)));
  }
  if (!machine.Exists(BlockOf(machine, number))) return absl::OkStatus();
  if (HasSize(machine, number)) {
    const std::string owner = ReadSwapUuid(DeviceOf(machine, number));
    // Ours is gone, and another has got its number.
    if (!owner.empty() && owner != run_uuid) return absl::OkStatus();
    absl::Status status = machine.SwapOff(DeviceOf(machine, number));
    if (!status.ok()) return status;
    status = Persist([&] { return machine.Write(BlockOf(machine, number) / "reset", "1"); });
    if (!status.ok()) return status;
  }
  return HotRemove(machine, number);
}

absl::Status RemoveUnnamedZram(Machine& machine, const std::string& numbers_before) {
  std::vector<std::string_view> before;
  parse::SplitWords(numbers_before, &before);
  for (const std::string& number : ZramNumbers(machine)) {
    if (std::find(before.begin(), before.end(), number) != before.end()) continue;
    if (HasSize(machine, number)) continue;
    if (absl::Status status = HotRemove(machine, number); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace regressd::agent
