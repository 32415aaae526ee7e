#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "services/parse/benchmark_results.h"

namespace regressd::parse {

/// How a test of will-it-scale was run. Its own output does not say.
struct WillItScaleTasks {
  enum class Model { kProcesses, kThreads };

  std::optional<std::int64_t> count;
  std::optional<Model> model;
};

/// Out of a command line such as "setarch -R ./page_fault1_processes -t 8 -s 5"; what it does not
/// say is unset.
WillItScaleTasks TasksOfCommand(std::span<const std::string> command);

/// "min:N max:N total:N", the operations of all tasks in one second: the total.
std::optional<double> ReadWillItScaleTotal(std::string_view line);

/// Reads will-it-scale's runtest.py (its CSV table) or the output of one of its test programs.
///
/// Of a table, named and defined as in LKP:
/// - N.processes, N.processes_idle, N.threads, N.threads_idle, N.linear of each task count N, which
///   per_process_ops and per_thread_ops sum up, so that these alone have a direction;
/// - per_process_ops, per_thread_ops: per task, averaged over the task counts;
/// - scalability: processes over linear of the last row, which is not the first task's;
/// - workload: operations in all.
/// A model that was not run (zero operations and zero idle time) has no results, where LKP has 0.
///
/// Of a test program, the mean of the seconds after its warm-up, as it prints it: N.processes and
/// per_process_ops (or _threads, per_thread_ops) when `tasks` says N and the model, total_ops
/// without; and workload. Observations: iteration_total, one value a second.
///
/// It fails when a test ended without a result, a row does not fit the table's header, a test
/// program has no "average:" line, or an assertion of a test failed.
class WillItScaleParser final : public BenchmarkParser {
 public:
  explicit WillItScaleParser(WillItScaleTasks tasks = {}) : tasks_(tasks) {}

  void Feed(const InputLine& line) override;
  BenchmarkResults Finish() override;

 private:
  using Row = std::map<std::string, double, std::less<>>;

  bool ReadTable(const InputLine& line);
  void TakeRow(const InputLine& line, const Row& row, std::string_view task_count);
  bool ReadProgram(const InputLine& line);
  void TakeAverage(double average);
  void Add(std::string name, double value, std::string unit, model::Better better);
  void Fail(std::string reason);

  const WillItScaleTasks tasks_;
  BenchmarkResults out_;
  std::vector<std::string> columns_;
  std::vector<double> ops_per_process_;
  std::vector<double> ops_per_thread_;
  std::optional<double> scalability_;
  double workload_ = 0;
  /// A test program's output that has no "average:" line yet, where it began.
  std::string running_program_;
  bool measuring_ = false;
  std::vector<double> totals_;
};

}  // namespace regressd::parse
