#include "services/common/option_checks.h"

#include <gtest/gtest.h>

#include <string>

namespace regressd::common {
namespace {

TEST(OptionChecksTest, ANumberIsFiniteAndInItsRange) {
  const CLI::Validator check = FiniteRange(0, 1e6);
  for (std::string text : {"0", "0.5", "1e6"}) EXPECT_EQ(check(text), "") << text;
  for (std::string text :
       {"nan", "NaN", "-nan", "inf", "-inf", "infinity", "1e999", "-0.1", "1000001", "x", ""}) {
    EXPECT_NE(check(text), "") << text;
  }
}

TEST(OptionChecksTest, AServersAddressIsCheckedByItsForm) {
  const CLI::Validator check = IsServerAddress();
  std::string good = "127.0.0.1:7878";
  EXPECT_EQ(check(good), "");
  std::string bad = "nowhere";
  EXPECT_NE(check(bad), "");
}

}  // namespace
}  // namespace regressd::common
