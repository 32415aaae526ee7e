#include "services/parse/vm_scalability.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "services/parse/scanner.h"
#include "services/parse/text.h"

namespace regressd::parse {
namespace {

constexpr double kBytesPerKb = 1024;  // What usemem calls KB.

double Mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double PopulationStddev(const std::vector<double>& values) {
  const double mean = Mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

double PercentOfMean(const std::vector<double>& values) {
  return 100 * PopulationStddev(values) / Mean(values);
}

/// "./case-anon-w-seq" as the line's last word: the command line that LKP logs. The messages of a
/// shell have a ':' behind the name.
bool BeginsIteration(std::string_view text) {
  constexpr std::string_view kMark = "./case-";
  const std::string_view line = Trim(text);
  const std::size_t begin = line.rfind(kMark);
  if (begin == std::string_view::npos || (begin > 0 && line[begin - 1] != ' ')) return false;
  const std::string_view name = line.substr(begin + kMark.size());
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

/// "END-BEGIN seconds", as `date +%s.%N` gave them.
bool ReadInterval(Scanner* scanner, double* seconds) {
  double end_s = 0;
  double begin_s = 0;
  if (!scanner->Number(&end_s) || !scanner->Text("-") || !scanner->Number(&begin_s) ||
      !scanner->Text(" seconds")) {
    return false;
  }
  *seconds = end_s - begin_s;
  return true;
}

}  // namespace

void VmScalabilityParser::Rates::Add(double kb_per_s) {
  iteration.push_back(kb_per_s);
  all.push_back(kb_per_s);
}

void VmScalabilityParser::Rates::EndIteration() {
  if (iteration.empty()) return;
  sums.push_back(std::accumulate(iteration.begin(), iteration.end(), 0.0));
  std::sort(iteration.begin(), iteration.end());
  medians.push_back(iteration[iteration.size() / 2]);
  iteration.clear();
}

double VmScalabilityParser::Rates::StddevPercent() const {
  if (sums.size() > 1) return PercentOfMean(sums);
  return PercentOfMean(all) * static_cast<double>(all.size());
}

void VmScalabilityParser::Feed(const InputLine& line) {
  if (ReadUsemem(line) || ReadOther(line)) {
    ++iteration_result_count_;
  } else if (BeginsIteration(line.text)) {
    EndIteration();
    case_line_ = fmt::format("{} at {}", Quote(Trim(line.text)), Where(line));
  }
}

bool VmScalabilityParser::ReadUsemem(const InputLine& line) {
  Scanner scanner(line.text);
  scanner.Skip('.');  // Its progress.
  std::uint64_t bytes = 0;
  std::uint64_t elapsed_us = 0;
  std::uint64_t kb_per_s = 0;
  if (!scanner.Number(&bytes) || !scanner.Text(" bytes / ") || !scanner.Number(&elapsed_us) ||
      !scanner.Text(" usecs = ") || !scanner.Number(&kb_per_s) || !scanner.Text(" KB/s")) {
    return false;
  }
  const double expected =
      static_cast<double>(bytes) / kBytesPerKb * 1e6 / static_cast<double>(elapsed_us);
  // It divides whole numbers.
  if (std::abs(expected - static_cast<double>(kb_per_s)) > 1 + 1e-9 * expected) {
    Fail(fmt::format("{}: {} does not agree with itself, {} bytes in {} us are {:.0f} KB/s",
                     Where(line), Quote(line.text), bytes, elapsed_us, expected));
  }
  moved_bytes_ += static_cast<double>(bytes);
  rates_.Add(static_cast<double>(kb_per_s));
  return true;
}

bool VmScalabilityParser::ReadOther(const InputLine& line) {
  Scanner scanner(line.text);
  scanner.Skip('.');
  std::uint64_t first = 0;
  if (!scanner.Number(&first)) return false;
  const auto bytes = static_cast<double>(first);
  // Whole KB as in LKP.
  const auto whole_kb = static_cast<double>(first / 1024);
  double seconds = 0;
  std::uint64_t number = 0;
  std::uint64_t mb_per_s = 0;
  if (scanner.Text(" usecs to free memory")) {
    free_seconds_.push_back(bytes * 1e-6);
    return false;  // Beside a result, never one.
  }
  Rates* rates = &rates_;
  if (scanner.Text(" * ")) {
    if (!scanner.Number(&number) || !scanner.Text(" bytes migrated, ") ||
        !scanner.Past("usecs, ") || !scanner.Number(&mb_per_s) || !scanner.Text(" MB/s")) {
      return false;
    }
    moved_bytes_ += bytes * static_cast<double>(number);
    migrate_mbps_.push_back(static_cast<double>(mb_per_s));
    return true;
  }
  if (scanner.Text(" bytes truncated in ")) {
    if (!ReadInterval(&scanner, &seconds)) return false;
    moved_bytes_ += bytes;
  } else if (scanner.Text(" bytes faulted in ")) {
    if (!ReadInterval(&scanner, &seconds)) return false;
    rates = &fault_rates_;
  } else if (scanner.Text(" bytes remapped, ")) {
    if (!scanner.Number(&number) || !scanner.Text(" usecs, ")) return false;
    seconds = static_cast<double>(number) * 1e-6;
    moved_bytes_ += bytes;
  } else if (scanner.Text(" bytes (")) {
    if (!scanner.Past(") copied, ") || !scanner.Number(&seconds) || !scanner.Text(" s, ")) {
      return false;
    }
    moved_bytes_ += bytes;
  } else {
    return false;
  }
  if (seconds <= 0) {
    Fail(fmt::format("{}: {} took no time", Where(line), Quote(line.text)));
    return true;
  }
  rates->Add(whole_kb / seconds);
  return true;
}

void VmScalabilityParser::EndIteration() {
  if (!case_line_.empty() && iteration_result_count_ == 0) {
    Fail(fmt::format("no result after {}", case_line_));
  }
  iteration_result_count_ = 0;
  rates_.EndIteration();
  fault_rates_.EndIteration();
}

void VmScalabilityParser::Fail(std::string reason) {
  if (failure_.empty()) failure_ = std::move(reason);
}

void VmScalabilityParser::Report(const Rates& rates, const std::string& suffix,
                                 BenchmarkResults* out) {
  if (rates.sums.empty()) return;
  const auto add = [out](std::string name, double value, std::string unit, model::Better better) {
    out->results.push_back(
        {.name = std::move(name), .value = value, .unit = std::move(unit), .better = better});
  };
  using model::Better;
  add("throughput" + suffix, Mean(rates.sums), "KB/s", Better::kHigher);
  if (rates.all.size() > 1) {
    add("stddev" + suffix + "%", rates.StddevPercent(), "%", Better::kNeither);
  }
  add("median" + suffix, Mean(rates.medians), "KB/s", Better::kHigher);
  if (rates.medians.size() > 1) {
    add("median" + suffix + "_stddev%", PercentOfMean(rates.medians), "%", Better::kNeither);
  }
  // Their sum is what is judged; how it is shared out only explains.
  out->observations.push_back({.name = "task_throughput" + suffix,
                               .unit = "KB/s",
                               .better = Better::kNeither,
                               .values = rates.all});
}

BenchmarkResults VmScalabilityParser::Finish() {
  EndIteration();
  BenchmarkResults out;
  Report(rates_, "", &out);
  Report(fault_rates_, "_fault", &out);
  for (const double mbps : migrate_mbps_) {
    out.results.push_back(
        {.name = "migrate_mbps", .value = mbps, .unit = "MB/s", .better = model::Better::kHigher});
  }
  out.failure = std::move(failure_);
  if (out.results.empty()) return out;
  if (!free_seconds_.empty()) {
    out.results.push_back({.name = "free_time",
                           .value = Mean(free_seconds_),
                           .unit = "s",
                           .better = model::Better::kNeither});
  }
  if (moved_bytes_ > 0) {
    out.results.push_back({.name = "workload",
                           .value = moved_bytes_ / kBytesPerKb,
                           .unit = "KiB",
                           .better = model::Better::kNeither});
  }
  return out;
}

}  // namespace regressd::parse
