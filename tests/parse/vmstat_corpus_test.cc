#include <gtest/gtest.h>

#include <algorithm>

#include "services/parse/text.h"
#include "services/parse/vmstat.h"
#include "tests/parse/corpus_case.h"
#include "tests/support/shared_data.h"

namespace regressd::parse {
namespace {

using nlohmann::json;

std::optional<double> TimeSeconds(const std::optional<model::Time>& time) {
  if (!time) return std::nullopt;
  return std::chrono::duration<double>(time->time_since_epoch()).count();
}

// "2023-01-24T10:27:12Z" as seconds since 1970, null as null.
json Seconds(const json& text) {
  absl::Time time;
  if (text.is_null() ||
      !absl::ParseTime(absl::RFC3339_full, text.get<std::string>(), &time, nullptr)) {
    return nullptr;
  }
  return absl::ToUnixSeconds(time);
}

std::size_t ColumnIndex(const VmstatLayout& layout, const std::string& name) {
  const auto column = std::find_if(layout.columns.begin(), layout.columns.end(),
                                   [&](const VmstatColumn& c) { return c.name == name; });
  return static_cast<std::size_t>(column - layout.columns.begin());
}

void ExpectSample(const json& expected, const VmstatSample& sample, const VmstatText& text) {
  const VmstatLayout& layout = text.layouts[static_cast<std::size_t>(sample.layout)];
  for (const auto& [key, value] : expected.items()) {
    if (key == "since_boot") {
      EXPECT_EQ(sample.since_boot, value.get<bool>());
    } else if (key == "timestamp_text") {
      EXPECT_EQ(sample.time_text, value.get<std::string>());
    } else if (key == "tz_text") {
      EXPECT_EQ(layout.zone_text, value.get<std::string>());
    } else if (key == "timestamp_utc") {
      ExpectNumber(Seconds(value), TimeSeconds(sample.time), key);
    } else {
      const std::size_t column = ColumnIndex(layout, key);
      ASSERT_LT(column, sample.values.size()) << key;
      EXPECT_EQ(sample.values[column], value.get<std::int64_t>()) << key;
    }
  }
}

void ExpectColumns(const json& expected, const VmstatText& text) {
  for (const VmstatLayout& layout : text.layouts) {
    json names = json::array();
    for (const VmstatColumn& column : layout.columns) names.push_back(column.name);
    EXPECT_EQ(names, expected);
  }
}

void ExpectBytes(const json& expected, const VmstatText& text) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (const auto& [key, bytes] : expected[i].items()) {
      const VmstatSample& sample = text.samples.at(i);
      const VmstatLayout& layout = text.layouts[static_cast<std::size_t>(sample.layout)];
      const std::size_t column = ColumnIndex(layout, key);
      const std::int64_t printed = sample.values.at(column);
      EXPECT_EQ(printed * layout.columns[column].unit_bytes, bytes.get<std::int64_t>()) << key;
      // The metric is in KiB, whatever -S was.
      EXPECT_DOUBLE_EQ(static_cast<double>(printed) * layout.columns[column].scale * 1024,
                       bytes.get<double>());
    }
  }
}

void ExpectTimeInKolkata(const json& expected, const std::string& input) {
  if (expected.is_null()) return;
  absl::TimeZone zone;
  ASSERT_TRUE(absl::LoadTimeZone("Asia/Kolkata", &zone));
  const VmstatText text = ParseVmstat(input, {.time_zone = zone});
  EXPECT_TRUE(text.problems.empty());
  ASSERT_EQ(text.samples.size(), 1U);
  ExpectSample(expected, text.samples[0], text);
}

TEST(VmstatCorpusTest, ReadsEveryCaseAsTheCorpusSays) {
  std::vector<CorpusCase> cases = CorpusCases("vmstat");
  if (cases.empty()) GTEST_SKIP() << support::NoSharedData("corpus");
  EXPECT_EQ(cases.size(), 10U);
  for (CorpusCase& corpus_case : cases) {
    SCOPED_TRACE(corpus_case.name());
    VmstatOptions options;
    const json& given = corpus_case.Take("options");
    if (given.contains("unit_bytes")) {
      options.unit_bytes = UnitBytes(given.at("unit").get<std::string>()).value_or(0);
      EXPECT_EQ(options.unit_bytes, given.at("unit_bytes"));
    }
    const VmstatText text = ParseVmstat(corpus_case.inputs()[0], options);
    corpus_case.ExpectProblems(text.problems, text.samples.size());

    const json& samples = corpus_case.Take("samples");
    if (!samples.is_null()) {
      ExpectColumns(corpus_case.Take("columns"), text);
      ASSERT_EQ(text.samples.size(), samples.size());
    }
    for (std::size_t i = 0; i < samples.size(); ++i) {
      ExpectSample(samples[i], text.samples[i], text);
    }
    ExpectNumber(corpus_case.Has("accepted_rows") ? corpus_case.Take("accepted_rows")
                                                  : json(text.samples.size()),
                 static_cast<double>(text.samples.size()), "accepted_rows");
    ExpectBytes(corpus_case.Take("bytes"), text);
    ExpectTimeInKolkata(corpus_case.Take("with_option_tz_Asia/Kolkata"), corpus_case.inputs()[0]);
    corpus_case.ExpectAllTaken();
  }
}

TEST(VmstatCorpusTest, ReadsTheRecordedRunWhole) {
  const std::optional<std::string> plain = Recorded("vmstat-n1.txt");
  const std::optional<std::string> timed = Recorded("vmstat-nt1.txt");
  if (!plain || !timed) GTEST_SKIP() << support::NoSharedData("corpus");

  const VmstatText text = ParseVmstat(*plain);
  EXPECT_TRUE(text.problems.empty());
  ASSERT_EQ(text.samples.size(), 125U);  // Rows by the recording's README.
  EXPECT_TRUE(text.samples[0].since_boot);
  std::int64_t swapped_out = 0;
  for (std::size_t i = 1; i < text.samples.size(); ++i) {
    EXPECT_FALSE(text.samples[i].since_boot);
    swapped_out += text.samples[i].values[ColumnIndex(text.layouts[0], "so")];
  }
  // awk 'NR>3{s+=$8}END{print s}' vmstat-n1.txt
  EXPECT_EQ(swapped_out, 1889500);

  const VmstatText with_time = ParseVmstat(*timed);
  EXPECT_TRUE(with_time.problems.empty());
  ASSERT_EQ(with_time.samples.size(), 125U);
  // date -u -d '2026-11-30 17:30:53' +%s
  ExpectNumber(1796059853, TimeSeconds(with_time.samples[0].time), "first time");
}

}  // namespace
}  // namespace regressd::parse
