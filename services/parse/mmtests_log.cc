#include "services/parse/mmtests_log.h"

#include <fmt/format.h>

#include <utility>

#include "services/parse/text.h"
#include "services/parse/will_it_scale.h"

namespace regressd::parse {
namespace {

using model::Better;

std::string_view FileName(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool IsCount(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// "8" of "8-2": a count of tasks and the number of the iteration.
std::string CountOf(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos || !IsCount(text.substr(dash + 1))) return "";
  const std::string_view count = text.substr(0, dash);
  return IsCount(count) ? std::string(count) : "";
}

}  // namespace

MmtestsParser::File MmtestsParser::Classify(std::string_view path) {
  std::string_view name = FileName(path);
  const auto cut = [&name](std::string_view begin, std::string_view end) {
    if (!name.starts_with(begin) || !name.ends_with(end)) return false;
    if (name.size() < begin.size() + end.size()) return false;
    name = name.substr(begin.size(), name.size() - begin.size() - end.size());
    return true;
  };
  if (name == "truncate.log") return {.benchmark = Benchmark::kSparsetruncate, .suffix = ""};
  File file;
  if (cut("kernbench-", ".time")) {
    file = {.benchmark = Benchmark::kKernbench, .suffix = CountOf(name)};
  } else if (cut("usemem-", "")) {
    file = {.benchmark = Benchmark::kUsemem, .suffix = CountOf(name)};
  } else if (cut("wis-", ".log")) {
    const std::size_t dash = name.rfind('-');
    const bool has_count = dash != std::string_view::npos && IsCount(name.substr(dash + 1));
    file = {.benchmark = Benchmark::kWillItScale, .suffix = has_count ? std::string(name) : ""};
  }
  return file.suffix.empty() ? File{} : file;
}

bool MmtestsParser::Reads(std::string_view path) {
  return Classify(path).benchmark != Benchmark::kOther;
}

std::string_view MmtestsParser::NameOf(Benchmark benchmark) {
  switch (benchmark) {
    case Benchmark::kSparsetruncate:
      return "sparsetruncate";
    case Benchmark::kKernbench:
      return "kernbench";
    case Benchmark::kUsemem:
      return "usemem";
    case Benchmark::kWillItScale:
      return "will-it-scale";
    case Benchmark::kOther:
      break;
  }
  return "none";
}

void MmtestsParser::Feed(const InputLine& line) {
  switch (file_.benchmark) {
    case Benchmark::kOther:
      return;
    case Benchmark::kSparsetruncate:
      return ReadTruncate(line);
    case Benchmark::kKernbench:
    case Benchmark::kUsemem:
      return time_.Feed(line);
    case Benchmark::kWillItScale:
      return ReadWillItScale(line.text);
  }
}

void MmtestsParser::BeginFile(std::string_view path) {
  EndFile();
  path_ = path;
  file_ = Classify(path);
  sample_count_ = 0;
  warming_up_ = false;
  if (file_.benchmark == Benchmark::kOther) return;
  if (benchmark_ == Benchmark::kOther) {
    benchmark_ = file_.benchmark;
    first_path_ = path_;
  } else if (benchmark_ != file_.benchmark) {
    Fail(fmt::format("{} is of {} and {} of {}; give the logs of one benchmark", first_path_,
                     NameOf(benchmark_), path_, NameOf(file_.benchmark)));
  }
}

void MmtestsParser::EndFile() {
  if (file_.benchmark == Benchmark::kOther) return;
  if (file_.benchmark == Benchmark::kKernbench || file_.benchmark == Benchmark::kUsemem) {
    TakeTimes();
  }
  if (sample_count_ == 0) {
    Fail(fmt::format("{}: no result of {} in it", path_, NameOf(file_.benchmark)));
  }
  file_ = {};
}

void MmtestsParser::ReadTruncate(const InputLine& line) {
  const std::string_view text = Trim(line.text);
  if (text.empty()) return;
  const std::optional<std::uint64_t> elapsed_us = ToUnsigned(text);
  if (!elapsed_us) {
    Fail(fmt::format("{}: {} is no whole number of microseconds", Where(line), Quote(text)));
    return;
  }
  unlink_us_.push_back(static_cast<double>(*elapsed_us));
  ++sample_count_;
}

void MmtestsParser::ReadWillItScale(std::string_view text) {
  // mmtests cuts the warm-up off; a test's own output has it.
  if (text == "warmup") warming_up_ = true;
  if (text == "measurement") warming_up_ = false;
  const std::optional<double> total = ReadWillItScaleTotal(text);
  if (total && !warming_up_) AddSample(file_.suffix, *total, "1/s", Better::kHigher);
}

void MmtestsParser::TakeTimes() {
  TimeReportReader reader = std::exchange(time_, {});
  for (const TimedCommand& command : reader.Finish()) {
    const auto add = [&](std::string_view operation, std::string_view figure) {
      const std::optional<double> seconds = command.Find(figure);
      if (!seconds) return;
      AddSample(fmt::format("{}-{}", operation, file_.suffix), *seconds, "s", Better::kLower);
    };
    if (file_.benchmark == Benchmark::kKernbench) add("user", "user_time");
    add("syst", "system_time");
    add("elsp", "elapsed_time");
  }
  if (!reader.failure().empty()) Fail(reader.failure());
}

void MmtestsParser::AddSample(std::string name, double value, std::string unit, Better better) {
  ++sample_count_;
  out_.results.push_back(
      {.name = std::move(name), .value = value, .unit = std::move(unit), .better = better});
}

void MmtestsParser::Fail(std::string reason) {
  if (out_.failure.empty()) out_.failure = std::move(reason);
}

BenchmarkResults MmtestsParser::Finish() {
  EndFile();
  if (!unlink_us_.empty()) {
    out_.observations.push_back(
        {.name = "Time", .unit = "us", .better = Better::kLower, .values = std::move(unlink_us_)});
  }
  return std::move(out_);
}

}  // namespace regressd::parse
