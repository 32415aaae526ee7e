#include "services/report/shell_text.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

namespace regressd::report {
namespace {

// What bash makes of the word.
std::string ReadByBash(const std::string& word) {
  const std::string script = "printf %s " + word;
  std::FILE* pipe = popen(("bash -c " + ShellWord(script)).c_str(), "r");
  std::string text;
  std::array<char, 256> buffer;
  while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), size);
  }
  EXPECT_EQ(pclose(pipe), 0) << script;
  return text;
}

TEST(ShellWordTest, QuotesWhatAShellWouldSplitOrRun) {
  EXPECT_EQ(ShellWord("nr_task=8"), "nr_task=8");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("$(reboot)"), "'$(reboot)'");
  EXPECT_EQ(ShellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellWord("=ls"), "'=ls'");
}

TEST(ShellWordTest, SpellsOutWhatATerminalWouldObey) {
  // U+202E is e2 80 ae in UTF-8: 342 200 256 in octal.
  EXPECT_EQ(ShellWord("a\u202eb"), "$'a\\342\\200\\256b'");
  EXPECT_EQ(ShellWord("a\x1b[2J'\\"), "$'a\\033[2J\\'\\\\'");
}

TEST(ShellWordTest, APastedWordGivesTheSameBytes) {
  const std::vector<std::string> words = {"plain",
                                          "two words",
                                          "it's",
                                          "\u202e1",
                                          "\x1b[31mred",
                                          "line\nline",
                                          "tab\t'\\n'",
                                          "$HOME `id`",
                                          "\xff\xfe"
                                          "7",
                                          "grün ≥ 8",
                                          "\u200b'\"\\\u2066",
                                          "!! ~ * ? [a]",
                                          "=ls",
                                          "{a,b}",
                                          "#no comment",
                                          "\x7f\x01"
                                          "2",
                                          "\xe2\x80 cut short",
                                          "-n"};
  for (const std::string& word : words) EXPECT_EQ(ReadByBash(ShellWord(word)), word);
}

TEST(ShellLineTest, JoinsWords) {
  EXPECT_EQ(ShellLine(std::vector<std::string>{"./run", "swap w seq", "8"}),
            "./run 'swap w seq' 8");
}

}  // namespace
}  // namespace regressd::report
