#include "tests/bench/recorded_rows.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string_view>

namespace regressd::bench {
namespace {

/// 192 series of 120 s, of which 120 stand still, as in the recording.
RecordedRows Generate() {
  constexpr std::size_t kMetrics = 192;
  constexpr std::size_t kStill = 120;
  constexpr std::int64_t kSamples = 120;
  RecordedRows rows;
  rows.origin = "generated: the recording of /proc/vmstat is not there";
  rows.metric_count = kMetrics;
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> burst(4, 2);
  std::vector<std::uint64_t> values(kMetrics);
  for (std::uint64_t& value : values) value = random() >> (34 + random() % 28);
  for (std::int64_t i = 0; i < kSamples; ++i) {
    rows.times_us.push_back(1'796'059'855'425'232 + i * 1'000'000 +
                            static_cast<std::int64_t>(random() % 200));
    for (std::size_t metric = kStill; metric < kMetrics; ++metric) {
      const auto step = static_cast<std::uint64_t>(std::llround(burst(random)));
      values[metric] += metric % 3 == 0 && random() % 2 == 0 ? 0 - step : step;
    }
    rows.values.insert(rows.values.end(), values.begin(), values.end());
  }
  return rows;
}

/// Takes "name 123" of a sample, or the line "### 1796059855.425232" that begins one.
bool TakeLine(std::string_view line, RecordedRows* rows) {
  constexpr std::string_view kBegin = "### ";
  if (line.starts_with(kBegin)) {
    rows->times_us.push_back(
        std::llround(std::stod(std::string(line.substr(kBegin.size()))) * 1e6));
    return true;
  }
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos || rows->times_us.empty()) return false;
  std::uint64_t value = 0;
  const char* const begin = line.data() + blank + 1;
  if (std::from_chars(begin, line.data() + line.size(), value).ec != std::errc{}) return false;
  rows->values.push_back(value);
  return true;
}

}  // namespace

absl::StatusOr<RecordedRows> ReadRecordedRows() {
  const char* const corpus = std::getenv("REGRESSD_CORPUS_DIR");
  const std::string file =
      std::string(corpus != nullptr ? corpus : REGRESSD_SOURCE_DIR "/../shared/corpus") +
      "/recorded/proc-vmstat.txt.xz";
  if (!std::filesystem::exists(file)) return Generate();
  const std::unique_ptr<FILE, int (*)(FILE*)> text(
      popen(fmt::format("xz -dc '{}'", file).c_str(), "r"), pclose);
  RecordedRows rows;
  rows.origin = "recorded/proc-vmstat.txt.xz";
  rows.is_recorded = true;
  char line[512];
  while (text != nullptr && std::fgets(line, sizeof line, text.get()) != nullptr) {
    std::string_view view(line);
    if (view.ends_with('\n')) view.remove_suffix(1);
    if (!TakeLine(view, &rows)) {
      return absl::DataLossError(fmt::format("{}: '{}' is no line of a sample", file, view));
    }
  }
  if (rows.times_us.empty() || rows.values.size() % rows.times_us.size() != 0) {
    return absl::DataLossError(
        fmt::format("{}: {} values in {} samples", file, rows.values.size(), rows.times_us.size()));
  }
  rows.metric_count = rows.values.size() / rows.times_us.size();
  return rows;
}

}  // namespace regressd::bench
