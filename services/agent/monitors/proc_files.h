#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "services/agent/sample_sink.h"
#include "services/agent/unique_fd.h"

namespace regressd::agent {

/// A file of /proc kept open and read again from its start each time. One thread.
class ProcFile {
 public:
  ProcFile() = default;
  /// Invalid when it cannot be opened.
  explicit ProcFile(const std::filesystem::path& path);

  bool valid() const { return fd_.valid(); }
  /// The text, valid until the next call; nullopt when the kernel refuses to give it.
  std::optional<std::string_view> Read();

 private:
  UniqueFd fd_;
  std::string buffer_;
};

/// The columns of a source that grows by name. One thread.
class ColumnTable {
 public:
  explicit ColumnTable(model::Source source) : source_(std::move(source)) {}

  /// Begins a row in which every value is missing.
  void BeginRow();
  /// Sets a value by its full metric name; a new name becomes a new column.
  void Set(std::string_view metric_name, std::int64_t stored, double scale = 1);
  /// The row; then `source()` may have grown since the last row: `grown()`.
  Row TakeRow(model::Time time);

  const model::Source& source() const { return source_; }
  /// True once after columns were added.
  bool TakeGrown();

 private:
  std::size_t Find(std::string_view metric_name, double scale);

  model::Source source_;
  std::unordered_map<std::string, std::size_t> columns_;
  std::size_t guess_ = 0;  // Names come in the same order each time.
  std::vector<std::int64_t> values_;
  std::vector<bool> missing_;
  bool grown_ = false;
};

}  // namespace regressd::agent
