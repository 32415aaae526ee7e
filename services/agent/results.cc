#include "services/agent/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <utility>

#include "services/agent/clean_text.h"
#include "services/model/catalog.h"
#include "services/parse/name_value.h"
#include "services/parse/observations.h"

namespace regressd::agent {
namespace {

constexpr std::size_t kMaxMetrics = 4096;
constexpr std::size_t kMaxRows = 10'000;
constexpr std::size_t kMaxProblems = 20;
constexpr std::size_t kObservationChunk = 10'000;
constexpr const char* kNoteName = "result";

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

ResultCollector::Column* ResultCollector::Find(const std::string& name) {
  const auto known = index_.find(name);
  if (known != index_.end()) return &columns_[known->second];
  if (columns_.size() >= kMaxMetrics) return nullptr;
  index_.emplace(name, columns_.size());
  columns_.push_back({.metric = model::Declare(name), .values = {}});
  return &columns_.back();
}

void ResultCollector::AddProblem(std::string problem) {
  if (problems_.size() < kMaxProblems) problems_.push_back(std::move(problem));
}

void ResultCollector::TakeLine(std::string_view line, OutputStream stream) {
  if (reader_ != nullptr) return reader_->TakeLine(stream, line);
  if (stream != OutputStream::kStdout) return;
  parse::NameValue result;
  switch (parse::ParseNameValue(line, &result)) {
    case parse::NameValueLine::kOther:
      return;
    case parse::NameValueLine::kBroken:
      return AddProblem(fmt::format("not a number: \"{}\"", CleanText(line, 200)));
    case parse::NameValueLine::kResult:
      return AddResult(
          {.name = std::move(result.name),
           .value = result.value,
           .unit = std::move(result.unit),
           .better = result.says_better ? std::optional(result.better) : std::nullopt});
  }
}

void ResultCollector::AddResult(const parse::BenchmarkResult& result) {
  Column* column = Find(testcase_ + "." + result.name);
  if (column == nullptr || column->values.size() >= kMaxRows) {
    return AddProblem(fmt::format("more results than the {} names or {} values that are taken",
                                  kMaxMetrics, kMaxRows));
  }
  if (!result.unit.empty()) column->metric.unit = result.unit;
  if (result.better) column->metric.better = *result.better;
  column->values.push_back(result.value);
  ++result_count_;
}

std::string ResultCollector::FinishReading() {
  if (reader_ == nullptr) return "";
  parse::BenchmarkResults found = reader_->Finish();
  for (const parse::BenchmarkResult& result : found.results) AddResult(result);
  for (parse::BenchmarkObservations& observations : found.observations) {
    model::Metric metric = model::Declare(testcase_ + "." + observations.name);
    if (!observations.unit.empty()) metric.unit = std::move(observations.unit);
    metric.better = observations.better;
    result_count_ += static_cast<std::int64_t>(observations.values.size());
    observed_.push_back({.metric = std::move(metric), .values = std::move(observations.values)});
  }
  for (std::string& note : found.notes) AddProblem(std::move(note));
  return CleanText(found.failure);
}

void ResultCollector::AddTime(const std::string& name, double value) {
  Column* column = Find(testcase_ + ".time." + name);
  if (column != nullptr) column->values = {value};
}

void ResultCollector::TakeUsage(const CommandResult& result) {
  // Those of the command that was timed, not of what ran it, and never some of each.
  if (index_.contains(testcase_ + ".time.elapsed_time")) return;
  // The names and units of GNU time as LKP has them.
  const rusage& usage = result.exit.usage;
  const double elapsed_s = std::chrono::duration<double>(result.elapsed).count();
  const double user_s = Seconds(usage.ru_utime);
  const double system_s = Seconds(usage.ru_stime);
  AddTime("elapsed_time", elapsed_s);
  AddTime("user_time", user_s);
  AddTime("system_time", system_s);
  AddTime("minor_page_faults", static_cast<double>(usage.ru_minflt));
  AddTime("major_page_faults", static_cast<double>(usage.ru_majflt));
  AddTime("voluntary_context_switches", static_cast<double>(usage.ru_nvcsw));
  AddTime("involuntary_context_switches", static_cast<double>(usage.ru_nivcsw));
  AddTime("maximum_resident_set_size", static_cast<double>(usage.ru_maxrss));
  AddTime("file_system_inputs", static_cast<double>(usage.ru_inblock));
  AddTime("file_system_outputs", static_cast<double>(usage.ru_oublock));
  if (elapsed_s > 0) {
    AddTime("percent_of_cpu_this_job_got", 100 * (user_s + system_s) / elapsed_s);
  }
}

void ResultCollector::Send(model::Time time, const std::unordered_set<std::string>& taken_names,
                           SampleSink* sink) {
  SendObserved(sink);
  for (const std::string& problem : problems_) sink->AddNote(kNoteName, problem);
  model::Source source{.source_id = kResultSource,
                       .name = "result",
                       .content = model::SourceContent::kDoubleSamples,
                       .metrics = {}};
  std::vector<const Column*> sent;
  std::size_t row_count = 0;
  for (const Column& column : columns_) {
    if (taken_names.contains(column.metric.name)) {
      sink->AddNote(kNoteName, fmt::format("{} left out: the observations have this name",
                                           column.metric.name));
      continue;
    }
    source.metrics.push_back(column.metric);
    sent.push_back(&column);
    row_count = std::max(row_count, column.values.size());
  }
  if (row_count == 0) return;
  sink->Declare(source);
  for (std::size_t i = 0; i < row_count; ++i) {
    Row row{.time = time, .ints = {}, .doubles = {}, .missing = {}};
    for (const Column* column : sent) {
      const bool missing = i >= column->values.size();
      row.doubles.push_back(missing ? 0 : column->values[i]);
      row.missing.push_back(missing);
    }
    sink->AddRow(kResultSource, std::move(row));
  }
}

void ResultCollector::SendObserved(SampleSink* sink) {
  if (observed_.empty()) return;
  model::Source source{.source_id = kReaderObservationSource,
                       .name = "reader-observations",
                       .content = model::SourceContent::kObservations,
                       .metrics = {}};
  for (const Observed& observed : observed_) source.metrics.push_back(observed.metric);
  sink->Declare(source);
  for (std::size_t index = 0; index < observed_.size(); ++index) {
    std::span<const double> left = observed_[index].values;
    while (!left.empty()) {
      const std::size_t count = std::min(left.size(), kObservationChunk);
      sink->AddObservations(kReaderObservationSource, static_cast<std::int32_t>(index),
                            left.first(count));
      left = left.subspan(count);
    }
  }
}

std::vector<ResultCollector::Value> ResultCollector::values() const {
  std::vector<Value> values;
  for (const Column& column : columns_) {
    if (column.values.empty()) continue;
    const double sum = std::accumulate(column.values.begin(), column.values.end(), 0.0);
    double value = sum / static_cast<double>(column.values.size());
    if (column.metric.reduction == model::Reduction::kSum) value = sum;
    if (column.metric.reduction == model::Reduction::kMax) {
      value = *std::max_element(column.values.begin(), column.values.end());
    }
    values.push_back({.metric = column.metric, .value = value});
  }
  return values;
}

std::unordered_set<std::string> SendObservations(const std::filesystem::path& file,
                                                 const std::string& testcase, SampleSink* sink) {
  std::unordered_set<std::string> names;
  std::error_code unreadable;
  const auto kind = std::filesystem::status(file, unreadable).type();
  if (kind == std::filesystem::file_type::not_found) return names;
  // Opening a pipe that nobody writes to would wait for ever.
  if (kind != std::filesystem::file_type::regular) {
    sink->AddNote("observations",
                  fmt::format("{} is no regular file, so its observations are lost; write to the "
                              "file that REGRESS_OBSERVATIONS names, do not replace it",
                              file.string()));
    return names;
  }
  std::ifstream input(file);
  parse::ObservationReader reader;
  model::Source source{.source_id = kObservationSource,
                       .name = "observations",
                       .content = model::SourceContent::kObservations,
                       .metrics = {}};
  std::vector<std::vector<double>> waiting;
  const auto send = [&](std::size_t index) {
    sink->AddObservations(kObservationSource, static_cast<std::int32_t>(index), waiting[index]);
    waiting[index].clear();
  };
  std::string line;
  parse::Observation observation;
  while (std::getline(input, line)) {
    if (!reader.Feed(line, &observation)) continue;
    if (source.metrics.size() < reader.metrics().size()) {
      while (source.metrics.size() < reader.metrics().size()) {
        const parse::ObservationMetric& said = reader.metrics()[source.metrics.size()];
        model::Metric metric = model::Declare(testcase + "." + said.name);
        if (!said.unit.empty()) metric.unit = said.unit;
        if (said.better != model::Better::kNeither) metric.better = said.better;
        names.insert(metric.name);
        source.metrics.push_back(std::move(metric));
      }
      waiting.resize(source.metrics.size());
      sink->Declare(source);
    }
    const auto index = static_cast<std::size_t>(observation.metric_index);
    waiting[index].push_back(observation.value);
    if (waiting[index].size() >= kObservationChunk) send(index);
  }
  for (std::size_t index = 0; index < waiting.size(); ++index) {
    if (!waiting[index].empty()) send(index);
  }
  for (const parse::Problem& problem : reader.TakeProblems()) {
    sink->AddNote("observations", problem.message);
  }
  return names;
}

}  // namespace regressd::agent
