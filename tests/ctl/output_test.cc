#include "services/ctl/output.h"

#include <gtest/gtest.h>

namespace regressd::ctl {
namespace {

TEST(CsvFieldTest, QuotesWhatWouldEndTheFieldOrTheLine) {
  // RFC 4180, section 2.
  EXPECT_EQ(CsvField("plain"), "plain");
  EXPECT_EQ(CsvField("a,b"), "\"a,b\"");
  EXPECT_EQ(CsvField("say \"so\""), "\"say \"\"so\"\"\"");
  EXPECT_EQ(CsvField("a;=1+1"), "\"a;=1+1\"");
  EXPECT_EQ(CsvField("two\nlines"), "two\\x0alines");
}

TEST(CsvFieldTest, IsNoFormulaForASpreadsheet) {
  // OWASP, "CSV Injection".
  EXPECT_EQ(CsvField("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
  EXPECT_EQ(CsvField("+1"), "'+1");
  EXPECT_EQ(CsvField("-10.0% regression of x"), "'-10.0% regression of x");
  EXPECT_EQ(CsvField("@SUM(1,2)"), "\"'@SUM(1,2)\"");
  EXPECT_EQ(CsvField("\uff1d1"), "'\uff1d1");
  EXPECT_EQ(CsvField("a=b"), "a=b");
}

}  // namespace
}  // namespace regressd::ctl
