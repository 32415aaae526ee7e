#include "services/report/mail_headers.h"

#include <gtest/gtest.h>

namespace regressd::report {
namespace {

// Encoded texts were checked with Python 3.11:
// str(email.header.make_header(email.header.decode_header(x))).

TEST(HeaderTextTest, LeavesPlainAsciiAlone) {
  EXPECT_EQ(HeaderText("[PATCH v2 3/7] mm: \"x\" <y>"), "[PATCH v2 3/7] mm: \"x\" <y>");
}

TEST(HeaderTextTest, StaysOneLine) {
  EXPECT_EQ(HeaderText("a\r\nBcc: everybody@example.org"), "a  Bcc: everybody@example.org");
}

TEST(HeaderTextTest, EncodesWhatIsNotAscii) {
  EXPECT_EQ(HeaderText("Größe"), "=?utf-8?q?Gr=C3=B6=C3=9Fe?=");
}

TEST(HeaderTextTest, EncodesWhatLooksEncoded) {
  EXPECT_EQ(HeaderText("=?utf-8?q?x?="), "=?utf-8?q?=3D=3Futf-8=3Fq=3Fx=3F=3D?=");
}

TEST(HeaderTextTest, SplitsEncodedWordsBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "山";
  std::string expected;
  const std::string five = "=E5=B1=B1=E5=B1=B1=E5=B1=B1=E5=B1=B1=E5=B1=B1";
  for (int i = 0; i < 4; ++i) expected += (i == 0 ? "" : " ") + ("=?utf-8?q?" + five + "?=");
  EXPECT_EQ(HeaderText(text), expected);
}

TEST(ParseMailboxTest, ReadsTheFormsOfGit) {
  const auto full = ParseMailbox("\"Huang, Ying\" <ying.huang@example.org>");
  ASSERT_TRUE(full);
  EXPECT_EQ(full->name, "Huang, Ying");
  EXPECT_EQ(full->address, "ying.huang@example.org");
  ASSERT_TRUE(ParseMailbox("a+b@example.org"));
}

TEST(ParseMailboxTest, RefusesWhatCouldBreakOut) {
  EXPECT_FALSE(ParseMailbox("X <a@b\r\nBcc: c@d>"));
  EXPECT_FALSE(ParseMailbox("X <a@b, c@d>"));
  EXPECT_FALSE(ParseMailbox("X <a b@c>"));
  EXPECT_FALSE(ParseMailbox("riel@...hat.com"));  // As archives mask addresses.
  EXPECT_FALSE(ParseMailbox("Jürgen <jürgen@example.org>"));
  EXPECT_FALSE(ParseMailbox(""));
}

TEST(HeaderMailboxTest, QuotesAndEncodesNames) {
  EXPECT_EQ(HeaderMailbox({"Rik van Riel", "r@example.org"}), "Rik van Riel <r@example.org>");
  EXPECT_EQ(HeaderMailbox({"Huang, \"Y\"", "y@example.org"}),
            "\"Huang, \\\"Y\\\"\" <y@example.org>");
  EXPECT_EQ(HeaderMailbox({"Jürgen", "j@example.org"}), "=?utf-8?q?J=C3=BCrgen?= <j@example.org>");
  EXPECT_EQ(HeaderMailbox({"a\nBcc: x@y", "j@example.org"}), "\"a Bcc: x@y\" <j@example.org>");
}

TEST(IsMessageIdTest, TakesOnlyWhatStaysBetweenAngleBrackets) {
  EXPECT_TRUE(IsMessageId("20160825-1.abc$d@example.org"));
  EXPECT_FALSE(IsMessageId("a@b> <c@d"));
  EXPECT_FALSE(IsMessageId("a@b\r\nBcc: x"));
  EXPECT_FALSE(IsMessageId("nothing"));
}

TEST(HeaderLineTest, FoldsAtBlanksAndKeepsThem) {
  const std::string value =
      "[mm-unstable] [mm/swap]  9f8e7d6c5b: vm-scalability.throughput -9.8% regression";
  EXPECT_EQ(HeaderLine("Subject", value),
            "Subject: [mm-unstable] [mm/swap]  9f8e7d6c5b: vm-scalability.throughput\n"
            " -9.8% regression\n");
  EXPECT_EQ(HeaderLine("Message-ID", std::string(100, 'x')),
            "Message-ID: " + std::string(100, 'x') + "\n");
}

TEST(QuotedPrintableTest, KeepsLinesShort) {
  EXPECT_EQ(QuotedPrintable("a=b ± \n"), "a=3Db =C2=B1=20\n");
  EXPECT_EQ(QuotedPrintable(std::string(80, 'x')), std::string(75, 'x') + "=\n" + "xxxxx");
}

}  // namespace
}  // namespace regressd::report
