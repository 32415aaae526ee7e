#include "services/parse/will_it_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "services/parse/scanner.h"
#include "services/parse/text.h"

namespace regressd::parse {
namespace {

using model::Better;
using Model = WillItScaleTasks::Model;

constexpr std::string_view kTasks = "tasks";
constexpr std::string_view kRate = "1/s";

double Mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

bool IsHeader(std::string_view text) {
  return text.starts_with("tasks,") && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || c == '_' || c == ',';
         });
}

/// "104,1200363,0.04,0,0.00,0", also "-1" for a test without a result.
bool IsRow(std::string_view text) {
  return text.find(',') != std::string_view::npos && text.front() >= '0' && text.front() <= '9' &&
         text.find_first_not_of("0123456789.,-") == std::string_view::npos;
}

std::string_view FileName(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

WillItScaleTasks TasksOfCommand(std::span<const std::string> command) {
  WillItScaleTasks tasks;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string_view name = FileName(command[i]);
    if (!tasks.model) {
      if (name.ends_with("_processes")) tasks.model = Model::kProcesses;
      if (name.ends_with("_threads")) tasks.model = Model::kThreads;
    } else if (name.starts_with("-t")) {
      std::string_view count = name.substr(2);
      if (count.empty() && i + 1 < command.size()) count = command[i + 1];
      tasks.count = ToInt(count);
    }
  }
  if (tasks.count && *tasks.count < 1) tasks.count.reset();
  return tasks;
}

std::optional<double> ReadWillItScaleTotal(std::string_view line) {
  Scanner scanner(line);
  double min = 0;
  double max = 0;
  double total = 0;
  if (!scanner.Text("min:") || !scanner.Number(&min) || !scanner.Text(" max:") ||
      !scanner.Number(&max) || !scanner.Text(" total:") || !scanner.Number(&total)) {
    return std::nullopt;
  }
  return total;
}

void WillItScaleParser::Feed(const InputLine& line) {
  const std::size_t assertion = line.text.find("Assertion ");
  if (assertion != std::string_view::npos && line.text.ends_with("failed.")) {
    Fail(fmt::format("{}: {}", Where(line), Quote(line.text.substr(assertion))));
    return;
  }
  if (!ReadTable(line)) ReadProgram(line);
}

bool WillItScaleParser::ReadTable(const InputLine& line) {
  const std::string_view text = Trim(line.text);
  if (IsHeader(text)) {
    std::vector<std::string_view> names;
    SplitFields(text, ',', &names);
    columns_.assign(names.begin(), names.end());
    return true;
  }
  if (columns_.empty() || text.empty() || !IsRow(text)) return false;
  std::vector<std::string_view> fields;
  SplitFields(text, ',', &fields);
  if (fields.size() != columns_.size()) {
    Fail(fmt::format("{}: the row {} has {} fields, the header before it {}", Where(line),
                     Quote(text), fields.size(), columns_.size()));
    return true;
  }
  Row row;
  std::string_view task_count;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::optional<double> value = ToDouble(fields[i]);
    if (!value) {
      Fail(fmt::format("{}: {} in {} is no number", Where(line), Quote(fields[i]), Quote(text)));
      return true;
    }
    row[columns_[i]] = *value;
    if (columns_[i] == kTasks) task_count = fields[i];
  }
  if (row[std::string(kTasks)] > 0) TakeRow(line, row, task_count);
  return true;
}

void WillItScaleParser::TakeRow(const InputLine& line, const Row& row,
                                std::string_view task_count) {
  const auto value_of = [&row](std::string_view name) {
    const auto found = row.find(name);
    return found == row.end() ? 0.0 : found->second;
  };
  const double tasks = value_of(kTasks);
  bool ran = false;
  for (const std::string_view model : {"processes", "threads"}) {
    const std::string idle_name = fmt::format("{}_idle", model);
    const double ops = value_of(model);
    // The table has zeros for a model that was left out. One whose test died was idle all the same.
    if (ops == 0 && value_of(idle_name) == 0) continue;
    ran = true;
    if (ops <= 0) {
      Fail(fmt::format("{}: {} tasks as {} ended without a result: {}", Where(line), task_count,
                       model, Quote(Trim(line.text))));
      continue;
    }
    Add(fmt::format("{}.{}", task_count, model), ops, std::string(kRate), Better::kNeither);
    if (row.contains(idle_name)) {
      Add(fmt::format("{}.{}", task_count, idle_name), value_of(idle_name), "%", Better::kNeither);
    }
    (model == "processes" ? ops_per_process_ : ops_per_thread_).push_back(ops / tasks);
    workload_ += ops;
  }
  if (!ran) {
    Fail(fmt::format("{}: no test of {} tasks has a result: {}", Where(line), task_count,
                     Quote(Trim(line.text))));
  }
  const double linear = value_of("linear");
  if (linear <= 0) return;  // Known only when the table began with one task.
  Add(fmt::format("{}.linear", task_count), linear, std::string(kRate), Better::kNeither);
  const double processes = value_of("processes");
  if (tasks > 1 && processes > 0) scalability_ = processes / linear;
}

bool WillItScaleParser::ReadProgram(const InputLine& line) {
  const std::string_view text = Trim(line.text);
  if (text.starts_with("testcase:") || text == "warmup") {
    // "testcase:" and "warmup" follow each other.
    if (running_program_.empty()) running_program_ = Where(line);
    measuring_ = false;
    return true;
  }
  if (text == "measurement") {
    if (running_program_.empty()) running_program_ = Where(line);
    measuring_ = true;
    return true;
  }
  if (const std::optional<double> total = ReadWillItScaleTotal(text)) {
    if (measuring_) totals_.push_back(*total);
    return true;
  }
  Scanner scanner(text);
  double average = 0;
  if (running_program_.empty() || !scanner.Text("average:") || !scanner.Number(&average)) {
    return false;
  }
  if (average <= 0) {
    Fail(fmt::format("{}: {}: the test did nothing", Where(line), Quote(text)));
  } else {
    TakeAverage(average);
  }
  running_program_.clear();
  measuring_ = false;
  return true;
}

void WillItScaleParser::TakeAverage(double average) {
  workload_ += average;
  if (!tasks_.count || !tasks_.model) {
    Add("total_ops", average, std::string(kRate), Better::kHigher);
    return;
  }
  const bool processes = *tasks_.model == Model::kProcesses;
  Add(fmt::format("{}.{}", *tasks_.count, processes ? "processes" : "threads"), average,
      std::string(kRate), Better::kNeither);
  (processes ? ops_per_process_ : ops_per_thread_)
      .push_back(average / static_cast<double>(*tasks_.count));
}

void WillItScaleParser::Add(std::string name, double value, std::string unit, Better better) {
  out_.results.push_back(
      {.name = std::move(name), .value = value, .unit = std::move(unit), .better = better});
}

void WillItScaleParser::Fail(std::string reason) {
  if (out_.failure.empty()) out_.failure = std::move(reason);
}

BenchmarkResults WillItScaleParser::Finish() {
  if (!running_program_.empty()) {
    Fail(
        fmt::format("the test that begins at {} has no line \"average:\": it did not end by itself",
                    running_program_));
  }
  if (scalability_) Add("scalability", *scalability_, "", Better::kHigher);
  if (!ops_per_process_.empty()) {
    Add("per_process_ops", Mean(ops_per_process_), std::string(kRate), Better::kHigher);
  }
  if (!ops_per_thread_.empty()) {
    Add("per_thread_ops", Mean(ops_per_thread_), std::string(kRate), Better::kHigher);
  }
  if (workload_ > 0) Add("workload", workload_, "", Better::kNeither);
  if (!totals_.empty()) {
    out_.observations.push_back({.name = "iteration_total",
                                 .unit = std::string(kRate),
                                 .better = Better::kHigher,
                                 .values = std::move(totals_)});
  }
  return std::move(out_);
}

}  // namespace regressd::parse
