#include "services/regressd/logging.h"

#include <gtest/gtest.h>

#include "nlohmann/json.hpp"

namespace regressd {
namespace {

TEST(JsonLineTest, IsOneLineWhateverTheMessageHolds) {
  const std::string line =
      JsonLine("2026-01-02T03:04:05.000006Z", "info", "two\nlines, a \"quote\" and \xff");
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto parsed = nlohmann::json::parse(line);
  EXPECT_EQ(parsed["time"], "2026-01-02T03:04:05.000006Z");
  EXPECT_EQ(parsed["level"], "info");
  EXPECT_EQ(parsed["message"],
            "two\nlines, a \"quote\" and \xef\xbf\xbd");  // U+FFFD for the stray byte.
}

}  // namespace
}  // namespace regressd
