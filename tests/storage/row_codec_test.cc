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
  const auto stored = FactsFromJson(R"({"cpu_count":2,"numa_nodes":[1,2],"microcode":"0x49"})");
  EXPECT_EQ(stored.facts.cpu_count, 2);
  EXPECT_EQ(stored.facts.microcode, "0x49");
  EXPECT_TRUE(stored.unreadable.empty());
}

TEST(RowCodecTest, OddFactsAreNamedAndTheOthersRead) {
  for (const char* json : {"", "[]", "null"}) {
    EXPECT_EQ(FactsFromJson(json).unreadable, std::vector<std::string>{"all of them"}) << json;
  }
  const auto stored =
      FactsFromJson(R"({"cpu_count":"two","microcode":"0x49","settings":{"a":"b","c":1}})");
  EXPECT_EQ(stored.unreadable, (std::vector<std::string>{"cpu_count", "settings"}));
  EXPECT_EQ(stored.facts.microcode, "0x49");
  EXPECT_EQ(stored.facts.cpu_count, 0);
  EXPECT_TRUE(stored.facts.settings.empty());
}

TEST(RowCodecTest, NotesThatAreNoTextAreGivenAsTheyAre) {
  const std::map<std::string, std::string> notes = {{"perf", "1"}, {"vmstat", "gone"}};
  EXPECT_EQ(NotesFromJson(R"({"perf":1,"vmstat":"gone"})"), notes);
  EXPECT_EQ(NotesFromJson("[1]").begin()->second, "[1]");
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
