#include "services/agent/facts.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <set>
#include <string_view>
#include <vector>

#include "services/agent/child_process.h"
#include "services/agent/clean_text.h"
#include "services/agent/read_file.h"
#include "services/agent/setup/swap_space.h"
#include "services/model/metric.h"
#include "services/parse/text.h"

namespace regressd::agent {
namespace {

/// Empty when it cannot be read.
std::string ReadText(const std::filesystem::path& path) { return ReadFile(path).value_or(""); }

std::string ReadWord(const std::filesystem::path& path) {
  return CleanText(parse::Trim(ReadText(path)));
}

/// The chosen one of "always [madvise] never".
std::string Chosen(const std::string& text) {
  const std::size_t begin = text.find('[');
  const std::size_t end = text.find(']', begin == std::string::npos ? 0 : begin);
  if (begin == std::string::npos || end == std::string::npos) return text;
  return text.substr(begin + 1, end - begin - 1);
}

void ReadCpuInfo(const std::string& text, model::MachineFacts* facts) {
  std::set<std::string, std::less<>> sockets;
  std::string_view rest = text;
  std::string_view line;
  while (parse::NextLine(&rest, &line)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = parse::Trim(line.substr(0, colon));
    const std::string_view value = parse::Trim(line.substr(colon + 1));
    if (key == "processor") ++facts->cpu_count;
    if (key == "physical id") sockets.emplace(value);
    if (key == "model name") facts->cpu_model = CleanText(value);
    if (key == "microcode") facts->microcode = CleanText(value);
  }
  facts->socket_count = static_cast<std::int32_t>(sockets.size());
}

void ReadMemory(const std::string& text, model::MachineFacts* facts) {
  std::string_view rest = text;
  std::string_view line;
  std::vector<std::string_view> words;
  while (parse::NextLine(&rest, &line)) {
    parse::SplitWords(line, &words);
    if (words.size() < 2 || words[0] != "MemTotal:") continue;
    facts->memory_size_bytes = parse::ToInt(words[1]).value_or(0) * 1024;
  }
}

void ReadSwaps(const std::string& text, model::MachineFacts* facts) {
  std::string_view rest = text;
  std::string_view line;
  std::vector<std::string_view> words;
  while (parse::NextLine(&rest, &line)) {
    parse::SplitWords(line, &words);
    // Filename Type Size Used Priority; how much is used is no fact of the machine.
    if (words.size() != 5 || words[0] == "Filename") continue;
    // A file that is made for each run is the same fact each time.
    if (words[0].find(kSwapDirectoryPrefix) != std::string_view::npos) words[0] = "(of the run)";
    facts->swap_devices.push_back(
        CleanText(fmt::format("{} {} {} KiB priority {}", words[0], words[1], words[2], words[4])));
  }
}

struct Setting {
  const char* name;
  const char* path;
};

constexpr std::array kSettings = {
    Setting{"thp_enabled", "sys/kernel/mm/transparent_hugepage/enabled"},
    Setting{"thp_defrag", "sys/kernel/mm/transparent_hugepage/defrag"},
    Setting{"thp_shmem_enabled", "sys/kernel/mm/transparent_hugepage/shmem_enabled"},
    Setting{"khugepaged_defrag", "sys/kernel/mm/transparent_hugepage/khugepaged/defrag"},
    Setting{"ksm_run", "sys/kernel/mm/ksm/run"},
    Setting{"lru_gen_enabled", "sys/kernel/mm/lru_gen/enabled"},
    Setting{"zswap_enabled", "sys/module/zswap/parameters/enabled"},
    Setting{"zswap_compressor", "sys/module/zswap/parameters/compressor"},
    Setting{"zswap_zpool", "sys/module/zswap/parameters/zpool"},
    Setting{"zswap_shrinker_enabled", "sys/module/zswap/parameters/shrinker_enabled"},
    Setting{"zswap_accept_threshold_percent",
            "sys/module/zswap/parameters/accept_threshold_percent"},
    Setting{"zswap_max_pool_percent", "sys/module/zswap/parameters/max_pool_percent"},
    Setting{"swappiness", "proc/sys/vm/swappiness"},
    Setting{"page_cluster", "proc/sys/vm/page-cluster"},
    Setting{"min_free_kbytes", "proc/sys/vm/min_free_kbytes"},
    Setting{"watermark_scale_factor", "proc/sys/vm/watermark_scale_factor"},
    Setting{"watermark_boost_factor", "proc/sys/vm/watermark_boost_factor"},
    Setting{"vfs_cache_pressure", "proc/sys/vm/vfs_cache_pressure"},
    Setting{"overcommit_memory", "proc/sys/vm/overcommit_memory"},
    Setting{"dirty_ratio", "proc/sys/vm/dirty_ratio"},
    Setting{"dirty_background_ratio", "proc/sys/vm/dirty_background_ratio"},
    Setting{"zone_reclaim_mode", "proc/sys/vm/zone_reclaim_mode"},
    Setting{"numa_balancing", "proc/sys/kernel/numa_balancing"},
    Setting{"randomize_va_space", "proc/sys/kernel/randomize_va_space"},
    Setting{"perf_event_paranoid", "proc/sys/kernel/perf_event_paranoid"},
    Setting{"governor", "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"},
    Setting{"cpufreq_driver", "sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"},
    Setting{"smt", "sys/devices/system/cpu/smt/control"},
    Setting{"clocksource", "sys/devices/system/clocksource/clocksource0/current_clocksource"},
    Setting{"cpus_online", "sys/devices/system/cpu/online"},
    Setting{"nodes_online", "sys/devices/system/node/online"},
    Setting{"loadavg_at_start", "proc/loadavg"},
};

/// A hash of the lines that set or unset an option: the same for /proc/config.gz and for the file
/// in /boot, whose first lines name the kernel. Empty when neither can be read.
std::string ConfigHash(const std::filesystem::path& root, const std::string& kernel_release) {
  const std::filesystem::path packed = root / "proc/config.gz";
  std::string config = ReadText(root / ("boot/config-" + kernel_release));
  if (std::error_code error; std::filesystem::exists(packed, error)) {
    const absl::StatusOr<CapturedOutput> output =
        Capture({"gzip", "-dc", packed.string()}, std::chrono::seconds(5));
    if (output.ok() && output->exit.exit_status == 0) config = output->text;
  }
  std::string options;
  std::string_view rest = config;
  std::string_view line;
  while (parse::NextLine(&rest, &line)) {
    if (!line.starts_with("CONFIG_") && !line.starts_with("# CONFIG_")) continue;
    options.append(line).push_back('\n');
  }
  return options.empty() ? "" : fmt::format("{:016x}", model::Hash63(options));
}

/// What compresses the pages of each zram that is in use.
void ReadZrams(const std::filesystem::path& root, model::MachineFacts* facts) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(root / "sys/block", error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with("zram") || ReadWord(at->path() / "disksize") == "0") continue;
    const std::string algorithm = Chosen(ReadWord(at->path() / "comp_algorithm"));
    if (!algorithm.empty()) facts->settings[name + "_algorithm"] = algorithm;
  }
}

}  // namespace

model::MachineFacts GatherFacts(const std::filesystem::path& root) {
  model::MachineFacts facts;
  utsname names = {};
  if (uname(&names) == 0) {
    facts.testbox = CleanText(names.nodename);
    facts.kernel_release = CleanText(names.release);
    facts.kernel_version = CleanText(names.version);
  }
  facts.boot_id = ReadWord(root / "proc/sys/kernel/random/boot_id");
  facts.kernel_cmdline = ReadWord(root / "proc/cmdline");
  ReadCpuInfo(ReadText(root / "proc/cpuinfo"), &facts);
  ReadMemory(ReadText(root / "proc/meminfo"), &facts);
  ReadSwaps(ReadText(root / "proc/swaps"), &facts);
  if (const std::string hash = ConfigHash(root, facts.kernel_release); !hash.empty()) {
    facts.settings["kernel_config_hash"] = hash;
  }
  ReadZrams(root, &facts);
  for (const Setting& setting : kSettings) {
    const std::string value = Chosen(ReadWord(root / setting.path));
    if (!value.empty()) facts.settings[setting.name] = value;
  }
  return facts;
}

std::map<std::string, std::string> ToolVersions() {
  std::map<std::string, std::string> versions;
  for (const char* tool : {"perf", "vmstat", "gcc", "make"}) {
    const absl::StatusOr<CapturedOutput> output =
        Capture({tool, "--version"}, std::chrono::seconds(5));
    if (!output.ok() || output->exit.exit_status != 0) continue;
    // "perf version 6.1.192", "vmstat from procps-ng 4.0.2": the last word of the first line.
    std::string_view rest = output->text;
    std::string_view line;
    parse::NextLine(&rest, &line);
    line = parse::Trim(line);
    const std::size_t blank = line.rfind(' ');
    versions[tool] = CleanText(blank == std::string_view::npos ? line : line.substr(blank + 1));
  }
  return versions;
}

std::string DrawRunUuid() {
  std::array<unsigned char, 16> bytes{};
  while (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
  }
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0f) | 0x40);  // Version 4, RFC 9562 5.4.
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3f) | 0x80);  // Variant.
  std::string uuid;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) uuid += '-';
    uuid += fmt::format("{:02x}", bytes[i]);
  }
  return uuid;
}

}  // namespace regressd::agent
