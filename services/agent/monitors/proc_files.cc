#include "services/agent/monitors/proc_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <utility>

#include "services/model/catalog.h"

namespace regressd::agent {
namespace {

// Shares of time come with two decimals.
constexpr double kShareScale = 0.01;

}  // namespace

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

ProcReader::ProcReader(const std::filesystem::path& root)
    : vmstat_(root / "proc/vmstat"), meminfo_(root / "proc/meminfo") {
  for (const char* resource : {"cpu", "io", "memory", "irq"}) {
    ProcFile file(root / "proc/pressure" / resource);
    // A kernel booted with psi=0 has the files and refuses to read them.
    if (file.Read()) pressure_.emplace_back(resource, std::move(file));
  }
}

bool ProcReader::any() const { return vmstat_.valid() || meminfo_.valid() || !pressure_.empty(); }

std::string ProcReader::missing_text() const {
  std::string text;
  const auto add = [&text](std::string_view what) {
    if (!text.empty()) text += "; ";
    text += what;
  };
  if (!vmstat_.valid()) add("/proc/vmstat cannot be read");
  if (!meminfo_.valid()) add("/proc/meminfo cannot be read");
  if (pressure_.empty()) add("no /proc/pressure: the kernel lacks CONFIG_PSI or runs with psi=0");
  return text;
}

std::vector<std::string> ProcReader::Fill(ColumnTable* table) {
  std::vector<std::string> problems;
  if (const auto text = vmstat_.Read()) {
    vmstat_reader_.Read(*text, &vmstat_values_);
    for (const parse::ProcVmstatValue& value : vmstat_values_) {
      name_.assign("proc-vmstat.").append(value.name);
      const std::int64_t stored =
          value.below_zero != 0 ? value.below_zero : static_cast<std::int64_t>(value.value);
      table->Set(name_, stored);
    }
    for (const parse::Problem& problem : vmstat_reader_.TakeProblems()) {
      problems.push_back("/proc/vmstat: " + problem.message);
    }
  }
  if (const auto text = meminfo_.Read()) {
    const parse::Meminfo meminfo = parse::ParseMeminfo(*text);
    for (const parse::MeminfoValue& value : meminfo.values) {
      name_.assign("meminfo.").append(value.name);
      table->Set(name_, static_cast<std::int64_t>(value.value));
    }
    for (const parse::Problem& problem : meminfo.problems) {
      problems.push_back("/proc/meminfo: " + problem.message);
    }
  }
  for (auto& [resource, file] : pressure_) {
    if (const auto text = file.Read()) FillPressure(resource, *text, table);
  }
  return problems;
}

void ProcReader::FillPressure(const std::string& resource, std::string_view text,
                              ColumnTable* table) {
  for (const parse::PressureLine& line : parse::ParsePressure(text).lines) {
    const std::string prefix = "pressure." + resource + (line.full ? ".full." : ".some.");
    const auto set_share = [&](const char* window, double percent) {
      name_.assign(prefix).append(window);
      table->Set(name_, std::llround(percent / kShareScale), kShareScale);
    };
    set_share("avg10", line.avg10);
    set_share("avg60", line.avg60);
    set_share("avg300", line.avg300);
    name_.assign(prefix).append("total");
    table->Set(name_, static_cast<std::int64_t>(line.total_us));
  }
}

}  // namespace regressd::agent
