#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "services/agent/private_directory.h"
#include "services/agent/setup/machine.h"

namespace regressd::agent::testing {

/// A machine that is a directory: files in the place of /proc, /sys and /dev, and what only a
/// kernel can do done by hand. One thread.
class FakeMachine : public Machine {
 public:
  FakeMachine() : FakeMachine(*PrivateDirectory::Create()) {}

  /// Makes `path` of the machine with this text, directories and all.
  void Put(std::string_view path, std::string_view text) {
    std::filesystem::create_directories(At(path).parent_path());
    std::ofstream(At(path), std::ios::binary) << text;
  }
  std::string Get(std::string_view path) const { return Read(At(path)).value_or("(not there)"); }

  void HaveCgroupV2(std::string_view handed_down) {
    Put("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids\n");
    Put("/sys/fs/cgroup/cgroup.subtree_control", handed_down);
  }
  void HaveCgroupV1() {
    Put("/sys/fs/cgroup/memory/cgroup.procs", "1\n");
    Put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  }
  /// zram0 of somebody else, and `number` as the next device that hot_add makes.
  void HaveZram(const std::string& number) {
    Put("/sys/block/zram0/disksize", "1073741824\n");
    Put("/dev/zram0", std::string(8192, 'x'));
    Put("/sys/class/zram-control/hot_add", number + "\n");
    Put("/sys/class/zram-control/hot_remove", "");
    Put("/sys/block/zram" + number + "/disksize", "0\n");
    Put("/sys/block/zram" + number + "/reset", "");
    Put("/dev/zram" + number, std::string(8192, '\0'));
  }

  /// A cgroup's files come with it.
  absl::Status MakeDirectory(const std::filesystem::path& path) override {
    if (absl::Status status = Machine::MakeDirectory(path); !status.ok()) return status;
    for (const char* file : {"cgroup.procs", "memory.max", "memory.limit_in_bytes"}) {
      std::ofstream(path / file) << "";
    }
    made.push_back(path);
    return absl::OkStatus();
  }
  /// As a cgroup: busy while there is a process in it, else gone with its files.
  absl::Status RemoveDirectory(const std::filesystem::path& path) override {
    if (!Read(path / "cgroup.procs").value_or("").empty()) {
      return SystemFailure("remove", path, EBUSY);
    }
    std::filesystem::remove_all(path);
    return absl::OkStatus();
  }
  absl::Status SwapOn(const std::filesystem::path& path, int priority) override {
    if (swap_on_error != 0) return SystemFailure("swap on", path, swap_on_error);
    swaps.insert(path);
    last_priority = priority;
    return absl::OkStatus();
  }
  absl::Status SwapOff(const std::filesystem::path& path) override {
    if (swap_off_error != 0) return SystemFailure("swap off", path, swap_off_error);
    swaps.erase(path);
    return absl::OkStatus();
  }
  /// It leaves all cgroups that were made.
  void Kill(pid_t pid) override {
    killed.insert(pid);
    for (const std::filesystem::path& cgroup : made) {
      if (Exists(cgroup / "cgroup.procs")) std::ofstream(cgroup / "cgroup.procs") << "";
    }
  }
  void Sync() override { ++sync_count; }

  std::vector<std::filesystem::path> made;
  std::set<std::filesystem::path> swaps;
  std::set<pid_t> killed;
  int last_priority = -1;
  int sync_count = 0;
  int swap_on_error = 0;   ///< Of every SwapOn from now on; 0: it works.
  int swap_off_error = 0;  ///< Of every SwapOff from now on; 0: it works.

 private:
  explicit FakeMachine(PrivateDirectory directory)
      : Machine(directory.path()), directory_(std::move(directory)) {}

  PrivateDirectory directory_;
};

}  // namespace regressd::agent::testing
