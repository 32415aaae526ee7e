// regress-bench: every figure that the project promises, measured now.

#include <fmt/format.h>
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

const std::map<std::string, Measure>& Subjects() {
  static const std::map<std::string, Measure> subjects{{"agent", MeasureAgent}};
  return subjects;
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

std::vector<std::string> MachineLines() {
  utsname name{};
  uname(&name);
  return {fmt::format("{} {}", name.sysname, name.release),
          fmt::format("{} x {}", sysconf(_SC_NPROCESSORS_ONLN),
                      FirstValue("/proc/cpuinfo", "model name")),
          fmt::format("memory {}", FirstValue("/proc/meminfo", "MemTotal"))};
}

int Main(int argc, char** argv) {
  CLI::App app{"Measures what the project promises, beside a peer or a limit in the same run."};
  app.footer("Exit status: 0 each must is met, 1 one is missed or could not be measured, 2 usage.");
  std::string subject;
  bool json = false;
  SubjectOptions options;
  options.bin_dir = std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
  std::vector<std::string> names;
  for (const auto& [name, measure] : Subjects()) names.push_back(name);
  app.add_option("subject", subject, "What to measure")->required()->check(CLI::IsMember(names));
  app.add_flag("--json", json, "JSON lines in place of a table");
  app.add_flag("--quick", options.quick, "Only what has a must, in shorter runs");
  app.add_option("--bin-dir", options.bin_dir, "Where regressd and regress-agent are")
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }

  const auto figures = Subjects().at(subject)(options);
  if (!figures.ok()) {
    fmt::print(stderr, "regress-bench {}: {}\n", subject, std::string(figures.status().message()));
    return 1;
  }
  fmt::print("{}", json ? RenderJsonLines(MachineLines(), *figures)
                        : RenderTable(MachineLines(), *figures));
  return std::all_of(figures->begin(), figures->end(), MeetsMust) ? 0 : 1;
}

}  // namespace
}  // namespace regressd::bench

int main(int argc, char** argv) { return regressd::bench::Main(argc, argv); }
