// regress-bench: every figure that the project promises, measured now.

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>

#include "tests/bench/subject.h"

namespace regressd::bench {
namespace {

using Measure = std::function<absl::StatusOr<std::vector<Figure>>(const SubjectOptions&)>;

/// Parts of each subject, in order of measuring.
struct Part {
  std::string name;
  Measure measure;
  bool quick = false;  ///< Has a must.
};

std::map<std::string, std::vector<Part>> Subjects() {
  return {{"agent", {{"cost", MeasureAgentCost, true}, {"slow-down", MeasureSlowDown, false}}},
          {"codec", {{"block", MeasureCodec, true}}}};
}

absl::StatusOr<std::vector<Figure>> MeasureParts(const std::vector<Part>& parts,
                                                 const std::string& only,
                                                 const SubjectOptions& options) {
  std::vector<Figure> figures;
  for (const Part& part : parts) {
    if (only.empty() ? options.quick && !part.quick : part.name != only) continue;
    const auto measured = part.measure(options);
    if (!measured.ok()) return measured.status();
    figures.insert(figures.end(), measured->begin(), measured->end());
  }
  return figures;
}

/// First value of a "key : value" file.
std::string FirstValue(const char* path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (line.rfind(key, 0) != 0 || colon == std::string::npos) continue;
    const auto begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

std::string FirstLine(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::vector<std::string> MachineLines() {
  utsname name{};
  uname(&name);
  return {fmt::format("{} {}", name.sysname, name.release),
          fmt::format("{} x {}", sysconf(_SC_NPROCESSORS_ONLN),
                      FirstValue("/proc/cpuinfo", "model name")),
          fmt::format("memory {}", FirstValue("/proc/meminfo", "MemTotal")),
          fmt::format("load at the start {}", FirstLine("/proc/loadavg"))};
}

int Main(int argc, char** argv) {
  CLI::App app{"Measures what the project promises, beside a peer or a limit in the same run."};
  app.footer("Exit status: 0 each must is met, 1 one is missed or could not be measured, 2 usage.");
  std::string subject;
  std::string part;
  bool json = false;
  SubjectOptions options;
  options.bin_dir = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
  std::vector<std::string> names;
  std::vector<std::string> part_names;
  for (const auto& [name, parts] : Subjects()) {
    names.push_back(name);
    for (const Part& each : parts) part_names.push_back(each.name);
  }
  app.add_option("subject", subject, "What to measure")->required()->check(CLI::IsMember(names));
  app.add_flag("--json", json, "JSON lines in place of a table");
  app.add_flag("--quick", options.quick, "Only what has a must, in shorter runs");
  app.add_option(
         "--part", part,
         "Only this, of agent: cost, CPU and memory with each choice of monitors (25 minutes), or "
         "slow-down, of workloads that it watches (15 minutes; not in --quick)")
      ->check(CLI::IsMember(part_names));
  app.add_option("--runs", options.runs, "Runs of each side of a comparison")
      ->capture_default_str()
      ->check(CLI::Range(4, 10000));
  app.add_option("--seed", options.seed, "Of the order of runs")->capture_default_str();
  app.add_option("--bin-dir", options.bin_dir, "Where regressd and regress-agent are")
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }

  // Standard output is for the figures.
  spdlog::set_default_logger(spdlog::stderr_logger_mt("regress-bench"));
  spdlog::set_level(spdlog::level::warn);
  const std::vector<std::string> machine = MachineLines();
  const auto figures = MeasureParts(Subjects().at(subject), part, options);
  if (!figures.ok()) {
    fmt::print(stderr, "regress-bench {}: {}\n", subject, std::string(figures.status().message()));
    return 1;
  }
  fmt::print("{}", json ? RenderJsonLines(machine, *figures) : RenderTable(machine, *figures));
  return std::all_of(figures->begin(), figures->end(), MeetsMust) ? 0 : 1;
}

}  // namespace
}  // namespace regressd::bench

int main(int argc, char** argv) { return regressd::bench::Main(argc, argv); }
