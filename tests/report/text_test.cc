#include "services/report/text.h"

#include <gtest/gtest.h>

namespace regressd::report {
namespace {

TEST(PrintableTest, LeavesOrdinaryTextAlone) {
  EXPECT_EQ(Printable("vmstat.swap.so <b> \"±\" 山"), "vmstat.swap.so <b> \"±\" 山");
}

TEST(PrintableTest, SpellsOutWhatATerminalWouldObey) {
  EXPECT_EQ(Printable("a\x1b[31mb\nc\td\x7f"), "a\\x1b[31mb\\x0ac\\x09d\\x7f");
  // U+009B is CSI in one character.
  EXPECT_EQ(Printable("a\xc2\x9b"
                      "31m"),
            "a\\u{009b}31m");
}

TEST(PrintableTest, SpellsOutWhatReordersOrHides) {
  EXPECT_EQ(Printable("a\u202Eb\u2066c\u200Bd\uFEFF"), "a\\u{202e}b\\u{2066}c\\u{200b}d\\u{feff}");
}

TEST(PrintableTest, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(Printable("\xff\xc0\xaf"), "\\xff\\xc0\\xaf");  // The second is an overlong slash.
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // A surrogate.
  EXPECT_EQ(Printable("cut \xe5\xb1"), "cut \\xe5\\xb1");
}

TEST(CharacterCountTest, CountsCodePointsNotBytes) {
  EXPECT_EQ(CharacterCount("±12%"), 4u);
  EXPECT_EQ(FirstCharacters("±±±", 2), "±±");
  EXPECT_EQ(PadLeft("±", 3), "  ±");
}

TEST(WrapTest, BreaksAtBlanksOnly) {
  EXPECT_EQ(Wrap("one two three", 7), "one two\nthree");
  EXPECT_EQ(Wrap("averyverylongword and", 5), "averyverylongword\nand");
  EXPECT_EQ(Wrap("", 5), "");
}

TEST(UnfoldedTest, GivesBackTheSubjectThatWasFolded) {
  EXPECT_EQ(Unfolded("[PATCH] mm: Batch\r\n the writes \n"), "[PATCH] mm: Batch the writes");
  EXPECT_EQ(Unfolded(" \n"), "");
}

TEST(JoinedTest, LeavesNoSeparatorForWhatIsEmpty) {
  EXPECT_EQ(Joined({"", "a", "", "b", ""}, ", "), "a, b");
  EXPECT_EQ(Joined({"", ""}, ", "), "");
}

}  // namespace
}  // namespace regressd::report
