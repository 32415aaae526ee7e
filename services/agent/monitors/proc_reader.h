#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "services/agent/monitors/proc_files.h"
#include "services/parse/problem.h"

namespace regressd::agent {

/// All files of /proc, /sys and the run's cgroup that tell of memory and of what waits for it, as
/// one row. One thread.
class ProcReader {
 public:
  /// Opens what is there. `root` stands in front of /proc and /sys; `cgroup_directory` is the run's
  /// memory cgroup, of v2 or v1, empty for none.
  explicit ProcReader(const std::filesystem::path& root = "/",
                      const std::filesystem::path& cgroup_directory = {});

  /// What is not there and what it needs; "" for nothing.
  const std::string& missing_text() const { return missing_text_; }
  bool any() const { return !readings_.empty(); }

  /// Reads all of them into the table's current row. Returns what was wrong with them.
  std::vector<std::string> Fill(ColumnTable* table);

 private:
  using Take = std::function<parse::Problems(std::string_view text, ColumnTable* table)>;
  struct Reading {
    std::string label;
    ProcFile file;
    Take take;
  };

  /// False when it cannot be read.
  bool Add(const std::filesystem::path& path, Take take);
  void AddMissing(std::string_view what);

  void AddMemory(const std::filesystem::path& root);
  void AddPressure(const std::filesystem::path& root);
  void AddNodes(const std::filesystem::path& root);
  void AddDevices(const std::filesystem::path& root);
  void AddCompressedSwap(const std::filesystem::path& root);
  void AddCgroup(const std::filesystem::path& directory);

  std::vector<Reading> readings_;
  std::string missing_text_;
};

}  // namespace regressd::agent
