#include "services/agent/readers/readers.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "services/parse/gnu_time.h"
#include "services/parse/mmtests_log.h"
#include "services/parse/name_value_parser.h"
#include "services/parse/text.h"
#include "services/parse/vm_scalability.h"
#include "services/parse/will_it_scale.h"

namespace regressd::agent {
namespace {

using Parser = std::unique_ptr<parse::BenchmarkParser>;

parse::WillItScaleTasks WillItScaleTasksOf(const ReaderContext& context) {
  parse::WillItScaleTasks tasks = parse::TasksOfCommand(context.command);
  if (!tasks.count) {
    // LKP also writes shares of the CPUs here, "50%", which are no count.
    const auto count = parse::ToInt(context.axes.Find("nr_task").value_or(""));
    if (count && *count > 0) tasks.count = *count;
  }
  if (!tasks.model) {
    const auto mode = context.axes.Find("mode");
    if (mode == "process") tasks.model = parse::WillItScaleTasks::Model::kProcesses;
    if (mode == "thread") tasks.model = parse::WillItScaleTasks::Model::kThreads;
  }
  return tasks;
}

Parser MakeNameValue(const ReaderContext&) { return std::make_unique<parse::NameValueParser>(); }
Parser MakeGnuTime(const ReaderContext&) { return std::make_unique<parse::GnuTimeParser>(); }
Parser MakeMmtests(const ReaderContext&) { return std::make_unique<parse::MmtestsParser>(); }
Parser MakeVmScalability(const ReaderContext&) {
  return std::make_unique<parse::VmScalabilityParser>();
}
Parser MakeWillItScale(const ReaderContext& context) {
  return std::make_unique<parse::WillItScaleParser>(WillItScaleTasksOf(context));
}

constexpr ReaderChoice kReaders[] = {
    {.name = "name-value",
     .reads = "lines \"name value [unit] [higher|lower|neither]\" of standard output",
     .results = "each name"},
    {.name = "vm-scalability",
     .reads = "output of vm-scalability's cases and of usemem",
     .results = "throughput, median, stddev%, median_stddev%, free_time, workload; task by task"},
    {.name = "will-it-scale",
     .reads = "will-it-scale: the table of runtest.py, or the output of one test program",
     .results = "per_process_ops, per_thread_ops, scalability, workload, N.processes, N.threads"},
    {.name = "mmtests",
     .reads = "logs of mmtests' sparsetruncate, kernbench, usemem or will-it-scale: files or their "
              "directory",
     .results = "Time; user-J, syst-J, elsp-J; syst-T, elsp-T; WORKLOAD-MODEL-TASKS",
     .needs_files = true},
    {.name = "gnu-time",
     .reads = "reports of GNU time (default, -v, -p) and of bash's time",
     .results = "time.elapsed_time, time.system_time, time.major_page_faults, ..."},
};

using Maker = Parser (*)(const ReaderContext&);
constexpr Maker kMakers[] = {MakeNameValue, MakeVmScalability, MakeWillItScale, MakeMmtests,
                             MakeGnuTime};
static_assert(std::size(kReaders) == std::size(kMakers));

ReaderSources SourcesOf(const ReaderChoice& choice) {
  ReaderSources sources;
  sources.standard_output = !choice.needs_files;
  // Prose with a number as its second word is common among messages.
  sources.standard_error = !choice.needs_files && choice.name != "name-value";
  if (choice.needs_files) sources.file_of_directory = parse::MmtestsParser::Reads;
  return sources;
}

}  // namespace

std::span<const ReaderChoice> AllReaders() { return kReaders; }

absl::StatusOr<std::unique_ptr<ResultReader>> MakeReader(std::string_view name,
                                                         const ReaderContext& context) {
  std::string known;
  for (std::size_t i = 0; i < std::size(kReaders); ++i) {
    if (kReaders[i].name == name) {
      return std::make_unique<ResultReader>(std::string(name), SourcesOf(kReaders[i]),
                                            kMakers[i](context));
    }
    known += fmt::format("{}{}", known.empty() ? "" : ", ", kReaders[i].name);
  }
  return absl::InvalidArgumentError(
      fmt::format("there is no reader \"{}\"; known are {}", name, known));
}

}  // namespace regressd::agent
