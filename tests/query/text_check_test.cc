#include "services/common/text_check.h"

#include <gtest/gtest.h>

#include <string>

namespace regressd::common {
namespace {

TEST(TextCheckTest, TheLastCharacterOfEachLengthIsUtf8) {
  // RFC 3629 section 3: U+007F, U+07FF, U+FFFF, U+10FFFF, and both neighbours of the surrogates.
  for (const char* text : {"\x7F", "\xDF\xBF", "\xEF\xBF\xBF", "\xF4\x8F\xBF\xBF", "\xED\x9F\xBF",
                           "\xEE\x80\x80", "", "swap \xC2\xB1 5%"}) {
    EXPECT_TRUE(IsUtf8(text)) << text;
  }
}

TEST(TextCheckTest, WhatRfc3629ForbidsIsNotUtf8) {
  for (const char* text : {
           "\x80",              // A continuation alone.
           "\xC0\x80",          // Overlong NUL, as "modified UTF-8" has it.
           "\xC1\xBF",          // Overlong U+007F.
           "\xE0\x9F\xBF",      // Overlong U+07FF.
           "\xF0\x8F\xBF\xBF",  // Overlong U+FFFF.
           "\xED\xA0\x80",      // Surrogate U+D800.
           "\xED\xBF\xBF",      // Surrogate U+DFFF.
           "\xF4\x90\x80\x80",  // U+110000.
           "\xF5\x80\x80\x80",  // No lead byte.
           "\xE2\x82",          // Cut off.
           "\xE2\x82x",         // No continuation.
           "\xFF",
       }) {
    EXPECT_FALSE(IsUtf8(text)) << text;
  }
}

TEST(TextCheckTest, ControlCharactersAreC0DelAndC1) {
  for (const char* text : {"a\nb", "\x1B[31m", "\x7F", "\xC2\x80", "x\xC2\x9F"}) {
    EXPECT_TRUE(HasControlCharacter(text)) << text;
  }
  // U+00A0 follows C1; U+0440 (D1 80) only looks like it.
  for (const char* text : {"", "plain", "\xC2\xA0", "\xD1\x80", "\xE2\x82\xAC"}) {
    EXPECT_FALSE(HasControlCharacter(text)) << text;
  }
}

TEST(TextCheckTest, ClampingKeepsWholeCharacters) {
  EXPECT_EQ(ClampUtf8("abcdef", 6), "abcdef");
  EXPECT_EQ(ClampUtf8("abcdefg", 6), "abc...");
  EXPECT_EQ(ClampUtf8("ab\xE2\x82\xAC\xE2\x82\xAC", 7), "ab...");  // The euro sign does not fit.
}

}  // namespace
}  // namespace regressd::common
