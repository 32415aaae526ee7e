#include "services/model/run.h"

#include <gtest/gtest.h>

namespace regressd::model {
namespace {

// Python 3.11: n = uuid.UUID(text).int; ((n >> 64) ^ n) & (2**63 - 1).
TEST(ParseRunUuidTest, TheRunIdIsTheXorOfBothHalvesWithoutTheSign) {
  const auto key = ParseRunUuid("123E4567-e89b-12d3-A456-426614174000");
  ASSERT_TRUE(key.has_value());
  EXPECT_EQ(key->uuid, "123e4567-e89b-12d3-a456-426614174000");
  EXPECT_EQ(key->run_id, 3920391180739433171);
  EXPECT_EQ(ParseRunUuid("ffffffff-ffff-4fff-bfff-ffffffffffff")->run_id, 4611686018427432960);
}

TEST(ParseRunUuidTest, RefusesWhatIsNoUuidAndTheIdZero) {
  for (const char* text :
       {"", "123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400",
        "123e4567-e89b-12d3-a456-4266141740000", "123e4567-e89b-12d3-a456_426614174000",
        "g23e4567-e89b-12d3-a456-426614174000", "{23e4567-e89b-12d3-a456-42661417400}",
        // Equal halves, also when only the sign bit differs: run_id would be 0.
        "00000000-0000-0000-0000-000000000000", "123e4567-e89b-12d3-123e-4567e89b12d3",
        "923e4567-e89b-12d3-123e-4567e89b12d3"}) {
    EXPECT_EQ(ParseRunUuid(text), std::nullopt) << text;
  }
}

TEST(RunOutcomeTest, AnythingButACleanExitIsAFailure) {
  RunOutcome outcome;
  EXPECT_FALSE(outcome.failed());
  outcome.term_signal = 9;
  EXPECT_TRUE(outcome.failed());
  outcome = {};
  outcome.exit_status = 1;
  EXPECT_TRUE(outcome.failed());
  outcome = {};
  outcome.failure = "out of memory";
  EXPECT_TRUE(outcome.failed());
}

std::optional<double> LoadOf(const std::string& loadavg) {
  MachineFacts facts;
  facts.settings["loadavg_at_start"] = loadavg;
  return LoadBefore(facts);
}

// /proc/loadavg counts its reader among the running.
TEST(LoadBeforeTest, AMachineThatOnlyJustBecameIdleIsNotBusy) {
  EXPECT_EQ(LoadOf("6.10 3.50 3.00 1/345 12345"), 0);
  EXPECT_EQ(LoadOf("6.10 3.50 3.00 9/345 12345"), 6.10);
  EXPECT_EQ(LoadOf("0.10 3.50 3.00 9/345 12345"), 0.10);
  EXPECT_EQ(LoadOf("6.10"), 6.10);
  EXPECT_EQ(LoadOf("busy"), std::nullopt);
  EXPECT_EQ(LoadBefore({}), std::nullopt);
}

}  // namespace
}  // namespace regressd::model
