#include "services/agent/monitors/proc_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include "services/parse/proc_key_value.h"
#include "services/parse/proc_tables.h"
#include "services/parse/text.h"

namespace regressd::agent {
namespace {

namespace fs = std::filesystem;

// Shares of time come with two decimals.
constexpr double kShareScale = 0.01;
constexpr std::size_t kMaxNodes = 64;
constexpr std::size_t kMaxZrams = 16;

using ReadNumbers = parse::Problems (*)(std::string_view text, parse::TakeNumber take);

/// Sets each number under `prefix` and its own name.
auto Named(std::string prefix, ReadNumbers read) {
  return [prefix = std::move(prefix), read, name = std::string()](std::string_view text,
                                                                  ColumnTable* table) mutable {
    return read(text, [&](std::string_view part, std::uint64_t value) {
      name.assign(prefix).append(part);
      table->Set(name, static_cast<std::int64_t>(value));
    });
  };
}

std::string_view FirstLine(std::string_view text) { return text.substr(0, text.find('\n')); }

/// A file that holds one number.
auto Single(std::string name) {
  return [name = std::move(name)](std::string_view text, ColumnTable* table) -> parse::Problems {
    const auto number = parse::ToUnsigned(parse::Trim(FirstLine(text)));
    if (!number) return {parse::Error(1, "not_a_number", parse::Quote(text) + " is no number")};
    table->Set(name, static_cast<std::int64_t>(*number));
    return {};
  };
}

parse::Problems TakeMeminfo(std::string_view text, ColumnTable* table, std::int64_t* max_used) {
  parse::Meminfo meminfo = parse::ParseMeminfo(text);
  std::int64_t total = 0, free = 0;
  std::string name;
  for (const parse::MeminfoValue& value : meminfo.values) {
    name.assign("meminfo.").append(value.name);
    const auto number = static_cast<std::int64_t>(value.value);
    table->Set(name, number);
    if (value.name == "MemTotal") total = number;
    if (value.name == "MemFree") free = number;
  }
  if (total > 0) {
    // LKP's two sums.
    *max_used = std::max(*max_used, total - free);
    table->Set("meminfo.Memused", total - free);
    table->Set("meminfo.max_used_kB", *max_used);
  }
  return std::move(meminfo.problems);
}

parse::Problems TakePressure(std::string_view text, const std::string& prefix, ColumnTable* table) {
  parse::Pressure pressure = parse::ParsePressure(text);
  std::string name;
  for (const parse::PressureLine& line : pressure.lines) {
    const auto named = [&](const char* field) -> const std::string& {
      return name.assign(prefix).append(line.full ? ".full." : ".some.").append(field);
    };
    const auto set_share = [&](const char* window, double percent) {
      table->Set(named(window), std::llround(percent / kShareScale), kShareScale);
    };
    set_share("avg10", line.avg10);
    set_share("avg60", line.avg60);
    set_share("avg300", line.avg300);
    table->Set(named("total"), static_cast<std::int64_t>(line.total_us));
  }
  return std::move(pressure.problems);
}

/// Entries of a directory whose names are `stem` and a number, by that number, at most `max_count`.
std::vector<fs::path> Numbered(const fs::path& directory, std::string_view stem,
                               std::size_t max_count) {
  std::vector<std::pair<std::uint64_t, fs::path>> found;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(stem)) continue;
    if (const auto number = parse::ToUnsigned(std::string_view(name).substr(stem.size()))) {
      found.emplace_back(*number, at->path());
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<fs::path> paths;
  for (auto& [number, path] : found) {
    if (paths.size() < max_count) paths.push_back(std::move(path));
  }
  return paths;
}

/// Disks worth a row: no partitions, loop devices or RAM disks.
std::set<std::string, std::less<>> WholeDisks(const fs::path& root) {
  std::set<std::string, std::less<>> disks;
  std::error_code error;
  for (fs::directory_iterator at(root / "sys/block", error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with("loop") && !name.starts_with("ram")) disks.insert(name);
  }
  return disks;
}

}  // namespace

ProcReader::ProcReader(const fs::path& root, const fs::path& cgroup_directory) {
  AddMemory(root);
  AddPressure(root);
  AddNodes(root);
  AddDevices(root);
  AddCompressedSwap(root);
  if (!cgroup_directory.empty()) AddCgroup(cgroup_directory);
}

bool ProcReader::Add(const fs::path& path, Take take) {
  Reading reading{.label = path.string(), .file = ProcFile(path), .take = std::move(take)};
  // What can be opened may still refuse to be read: /proc/pressure with psi=0.
  if (!reading.file.Read()) return false;
  readings_.push_back(std::move(reading));
  return true;
}

void ProcReader::AddMissing(std::string_view what) {
  if (!missing_text_.empty()) missing_text_ += "; ";
  missing_text_ += what;
}

void ProcReader::AddMemory(const fs::path& root) {
  const auto take_vmstat = [reader = std::make_shared<parse::ProcVmstatReader>(),
                            values = std::vector<parse::ProcVmstatValue>(), name = std::string()](
                               std::string_view text, ColumnTable* table) mutable {
    reader->Read(text, &values);
    for (const parse::ProcVmstatValue& value : values) {
      name.assign("proc-vmstat.").append(value.name);
      table->Set(name,
                 value.below_zero != 0 ? value.below_zero : static_cast<std::int64_t>(value.value));
    }
    return reader->TakeProblems();
  };
  if (!Add(root / "proc/vmstat", take_vmstat)) AddMissing("/proc/vmstat cannot be read");
  const auto take_meminfo = [max_used = std::int64_t{0}](std::string_view text,
                                                         ColumnTable* table) mutable {
    return TakeMeminfo(text, table, &max_used);
  };
  if (!Add(root / "proc/meminfo", take_meminfo)) AddMissing("/proc/meminfo cannot be read");
  if (!Add(root / "proc/zoneinfo", Named("zoneinfo.", parse::ReadZoneinfo))) {
    AddMissing("/proc/zoneinfo cannot be read");
  }
  if (!Add(root / "proc/swaps", Named("swaps.", parse::ReadSwaps))) {
    AddMissing("no /proc/swaps: the kernel lacks CONFIG_SWAP");
  }
}

void ProcReader::AddPressure(const fs::path& root) {
  bool any = false;
  for (const char* resource : {"cpu", "io", "memory", "irq"}) {
    const std::string prefix = fmt::format("pressure.{}", resource);
    any = Add(root / "proc/pressure" / resource,
              [prefix](std::string_view text, ColumnTable* table) {
                return TakePressure(text, prefix, table);
              }) ||
          any;
  }
  if (!any) AddMissing("no /proc/pressure: the kernel lacks CONFIG_PSI or runs with psi=0");
}

void ProcReader::AddNodes(const fs::path& root) {
  const std::vector<fs::path> nodes = Numbered(root / "sys/devices/system/node", "node", kMaxNodes);
  if (nodes.empty()) {
    AddMissing("no /sys/devices/system/node: /sys is not mounted or the kernel lacks CONFIG_NUMA");
  }
  for (const fs::path& node : nodes) {
    const std::string name = node.filename().string();
    Add(node / "vmstat", Named("numa-vmstat." + name + ".", parse::ReadNameNumbers));
    Add(node / "meminfo", Named("numa-meminfo." + name + ".", parse::ReadNodeMeminfo));
  }
}

void ProcReader::AddDevices(const fs::path& root) {
  const auto take_disks = [disks = WholeDisks(root), name = std::string()](
                              std::string_view text, ColumnTable* table) mutable {
    return parse::ReadDiskstats(
        text, [&](std::string_view device) { return disks.contains(device); },
        [&](std::string_view part, std::uint64_t value) {
          name.assign("diskstats.").append(part);
          table->Set(name, static_cast<std::int64_t>(value));
        });
  };
  if (!Add(root / "proc/diskstats", take_disks)) AddMissing("/proc/diskstats cannot be read");
  const auto take_interrupts = [reader = std::make_shared<parse::InterruptsReader>(),
                                name = std::string()](std::string_view text,
                                                      ColumnTable* table) mutable {
    return reader->Read(text, [&](std::string_view part, std::uint64_t value) {
      name.assign("interrupts.").append(part);
      table->Set(name, static_cast<std::int64_t>(value));
    });
  };
  if (!Add(root / "proc/interrupts", take_interrupts))
    AddMissing("/proc/interrupts cannot be read");
  if (!Add(root / "proc/schedstat", Named("schedstat.", parse::ReadSchedstat))) {
    AddMissing("no /proc/schedstat: the kernel lacks CONFIG_SCHEDSTATS");
  }
}

void ProcReader::AddCompressedSwap(const fs::path& root) {
  // Documentation/admin-guide/blockdev/zram.rst.
  static const std::vector<std::string_view> mm_names = {
      "orig_data_size", "compr_data_size", "mem_used_total", "mem_limit",       "mem_used_max",
      "same_pages",     "pages_compacted", "huge_pages",     "huge_pages_since"};
  static const std::vector<std::string_view> io_names = {"failed_reads", "failed_writes",
                                                         "invalid_io", "notify_free"};
  for (const fs::path& zram : Numbered(root / "sys/block", "zram", kMaxZrams)) {
    const std::string prefix = "zram." + zram.filename().string() + ".";
    for (const auto& [file, names] : {std::pair("mm_stat", &mm_names), {"io_stat", &io_names}}) {
      Add(zram / file, [prefix, names = names](std::string_view text, ColumnTable* table) {
        return parse::ReadColumns(text, *names, [&](std::string_view part, std::uint64_t value) {
          table->Set(prefix + std::string(part), static_cast<std::int64_t>(value));
        });
      });
    }
  }
  std::string enabled;
  ProcFile switch_file(root / "sys/module/zswap/parameters/enabled");
  if (const auto text = switch_file.Read()) enabled = parse::Trim(FirstLine(*text));
  if (enabled != "Y") return;
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator at(root / "sys/kernel/debug/zswap", error), end; !error && at != end;
       at.increment(error)) {
    files.push_back(at->path());
  }
  std::sort(files.begin(), files.end());
  bool any = false;
  for (const fs::path& file : files) {
    any = Add(file, Single("zswap." + file.filename().string())) || any;
  }
  if (!any) {
    AddMissing(
        "zswap is on, but its statistics cannot be read: they need root and debugfs on "
        "/sys/kernel/debug");
  }
}

void ProcReader::AddCgroup(const fs::path& directory) {
  bool any = Add(directory / "memory.stat", Named("cgroup.memory.stat.", parse::ReadCgroupStat));
  any = Add(directory / "memory.events", Named("cgroup.memory.events.", parse::ReadNameNumbers)) ||
        any;
  Add(directory / "memory.swap.events",
      Named("cgroup.memory.swap.events.", parse::ReadNameNumbers));
  Add(directory / "memory.pressure", [](std::string_view text, ColumnTable* table) {
    return TakePressure(text, "cgroup.memory.pressure", table);
  });
  // The same quantity has one name in both versions.
  constexpr std::pair<const char*, const char*> kNumbers[] = {
      {"memory.current", "cgroup.memory.current"},
      {"memory.usage_in_bytes", "cgroup.memory.current"},
      {"memory.peak", "cgroup.memory.peak"},
      {"memory.max_usage_in_bytes", "cgroup.memory.peak"},
      {"memory.swap.current", "cgroup.memory.swap.current"},
      {"memory.memsw.usage_in_bytes", "cgroup.memory.memsw.current"},
      {"memory.failcnt", "cgroup.memory.failcnt"},
      {"memory.memsw.failcnt", "cgroup.memory.memsw.failcnt"}};
  for (const auto& [file, name] : kNumbers) any = Add(directory / file, Single(name)) || any;
  if (!any) AddMissing(fmt::format("{}: no memory statistics", directory.string()));
}

std::vector<std::string> ProcReader::Fill(ColumnTable* table) {
  std::vector<std::string> problems;
  for (Reading& reading : readings_) {
    const std::optional<std::string_view> text = reading.file.Read();
    if (!text) {
      problems.push_back(reading.label + ": can no longer be read");
      continue;
    }
    for (const parse::Problem& problem : reading.take(*text, table)) {
      problems.push_back(reading.label + ": " + problem.message);
    }
  }
  return problems;
}

}  // namespace regressd::agent
