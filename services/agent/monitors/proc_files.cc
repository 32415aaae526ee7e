#include "services/agent/monitors/proc_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "services/model/catalog.h"

namespace regressd::agent {
ProcFile::ProcFile(const std::filesystem::path& path)
    : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)), buffer_(16 * 1024, '\0') {}

std::optional<std::string_view> ProcFile::Read() {
  if (!fd_.valid()) return std::nullopt;
  std::size_t size = 0;
  for (;;) {
    const ssize_t got =
        pread(fd_.get(), buffer_.data() + size, buffer_.size() - size, static_cast<off_t>(size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return std::string_view(buffer_.data(), size);
    size += static_cast<std::size_t>(got);
    if (size == buffer_.size()) {
      // Two reads are two snapshots: start over with room for all of it at once.
      buffer_.resize(buffer_.size() * 2);
      size = 0;
    }
  }
}

void ColumnTable::BeginRow() {
  guess_ = 0;
  values_.assign(source_.metrics.size(), 0);
  missing_.assign(source_.metrics.size(), true);
}

std::size_t ColumnTable::Find(std::string_view metric_name, double scale) {
  if (guess_ < source_.metrics.size() && source_.metrics[guess_].name == metric_name) {
    return guess_;
  }
  const std::string name(metric_name);
  const auto [found, inserted] = columns_.try_emplace(name, source_.metrics.size());
  if (inserted) {
    model::Metric metric = model::Declare(name);
    metric.scale = scale;
    source_.metrics.push_back(std::move(metric));
    values_.push_back(0);
    missing_.push_back(true);
    grown_ = true;
  }
  return found->second;
}

void ColumnTable::Set(std::string_view metric_name, std::int64_t stored, double scale) {
  const std::size_t column = Find(metric_name, scale);
  values_[column] = stored;
  missing_[column] = false;
  guess_ = column + 1;
}

Row ColumnTable::TakeRow(model::Time time) {
  Row row{.time = time, .ints = values_, .doubles = {}, .missing = {}};
  for (const bool missing : missing_) {
    if (!missing) continue;
    row.missing = missing_;
    break;
  }
  return row;
}

bool ColumnTable::TakeGrown() { return std::exchange(grown_, false); }

}  // namespace regressd::agent
