#include "storage/row_codec.h"

#include <gtest/gtest.h>

namespace regressd::storage {
namespace {

TEST(RowCodecTest, FactsLeaveOutWhatIsNotKnown) {
  EXPECT_EQ(FactsToJson({}), "{}");
  model::MachineFacts facts;
  facts.cpu_count = 2;
  facts.cpu_model = "a \"b\"";
  facts.tool_versions = {{"perf", "6.1"}};
  // Keys in the order of nlohmann::json, which sorts them.
  EXPECT_EQ(FactsToJson(facts),
            R"({"cpu_count":2,"cpu_model":"a \"b\"","tool_versions":{"perf":"6.1"}})");
}

TEST(RowCodecTest, FactsOfANewerVersionAreReadAsFarAsTheyAreKnown) {
  const auto facts = FactsFromJson(R"({"cpu_count":2,"numa_nodes":[1,2],"microcode":"0x49"})");
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->cpu_count, 2);
  EXPECT_EQ(facts->microcode, "0x49");
}

TEST(RowCodecTest, DamagedFactsAreAnError) {
  for (const char* json : {"", "[]", "null", R"({"cpu_count":"two"})", R"({"settings":[1]})"}) {
    EXPECT_EQ(FactsFromJson(json).status().code(), absl::StatusCode::kDataLoss) << json;
  }
  EXPECT_EQ(NotesFromJson(R"({"perf":1})").status().code(), absl::StatusCode::kDataLoss);
}

TEST(RowCodecTest, BytesThatAreNoTextAreReplaced) {
  model::MachineFacts facts;
  facts.microcode = "a\xFF";
  EXPECT_EQ(FactsToJson(facts), "{\"microcode\":\"a\xEF\xBF\xBD\"}");
}

TEST(RowCodecTest, OnlyCountersAreUnsigned) {
  model::Metric metric;
  metric.scale = 0.5;
  EXPECT_EQ(StoredValue(-2, metric), -1.0);
  metric.kind = model::MetricKind::kCounter;
  // (2^64 - 2) / 2 = 2^63 - 1, the nearest double of which is 2^63.
  EXPECT_EQ(StoredValue(-2, metric), 9223372036854775808.0);
}

}  // namespace
}  // namespace regressd::storage
