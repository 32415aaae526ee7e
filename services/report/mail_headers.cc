#include "services/report/mail_headers.h"

#include <fmt/format.h>

#include <algorithm>

#include "services/report/text.h"

namespace regressd::report {
namespace {

constexpr std::size_t kFoldAt = 76;
constexpr std::size_t kMostOfAWord =
    200;  // Longer words are encoded, as encoded words can be split.
constexpr std::size_t kMostOfAnEncoding = 50;  // Of 75 that RFC 2047 allows for one encoded word.
constexpr std::string_view kCharset = "=?utf-8?q?";
constexpr std::string_view kAtomCharacters = "!#$%&'*+-/=?^_`{|}~";

bool IsAlphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool IsAtomCharacter(char c) {
  return IsAlphanumeric(c) || kAtomCharacters.find(c) != std::string_view::npos;
}

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::size_t LongestWord(std::string_view text) {
  std::size_t longest = 0;
  std::size_t length = 0;
  for (const char c : text) {
    length = c == ' ' ? 0 : length + 1;
    longest = std::max(longest, length);
  }
  return longest;
}

/// Encoded words of whole characters, one blank apart: readers join them without it.
std::string EncodedWords(std::string_view text) {
  std::string out;
  std::string word;
  while (!text.empty()) {
    const std::string_view character = FirstCharacters(text, 1);
    text.remove_prefix(character.size());
    std::string encoded;
    for (const char c : character) {
      if (c == ' ') {
        encoded += '_';
      } else if (IsAlphanumeric(c) || c == '-' || c == '+' || c == '/' || c == '!' || c == '*') {
        encoded += c;
      } else {
        encoded += fmt::format("={:02X}", static_cast<unsigned char>(c));
      }
    }
    if (word.size() + encoded.size() > kMostOfAnEncoding) {
      out += fmt::format("{}{}?= ", kCharset, word);
      word.clear();
    }
    word += encoded;
  }
  return out + fmt::format("{}{}?=", kCharset, word);
}

bool NeedsEncoding(std::string_view line) {
  return !IsAscii(line) || line.find("=?") != std::string_view::npos ||
         LongestWord(line) > kMostOfAWord;
}

bool IsDotAtom(std::string_view text) {
  if (text.empty() || text.front() == '.' || text.back() == '.') return false;
  if (text.find("..") != std::string_view::npos) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c == '.' || IsAtomCharacter(c); });
}

bool IsAddress(std::string_view text) {
  const std::size_t at = text.rfind('@');
  return at != std::string_view::npos && text.size() <= 254 && IsDotAtom(text.substr(0, at)) &&
         IsDotAtom(text.substr(at + 1));
}

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n\"");
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r\n\"") - begin + 1);
}

}  // namespace

std::string HeaderText(std::string_view text) {
  const std::string line = OneLine(text);
  return NeedsEncoding(line) ? EncodedWords(line) : line;
}

std::optional<Mailbox> ParseMailbox(std::string_view text) {
  text = Trimmed(text);
  Mailbox mailbox{.name = "", .address = std::string(text)};
  const std::size_t open = text.rfind('<');
  if (open != std::string_view::npos && text.ends_with('>')) {
    mailbox.name = Trimmed(text.substr(0, open));
    mailbox.address = text.substr(open + 1, text.size() - open - 2);
  }
  if (!IsAddress(mailbox.address)) return std::nullopt;
  return mailbox;
}

std::string HeaderMailbox(const Mailbox& mailbox) {
  if (mailbox.name.empty()) return mailbox.address;
  std::string name = OneLine(mailbox.name);
  if (NeedsEncoding(name)) {
    name = EncodedWords(name);
  } else if (!std::all_of(name.begin(), name.end(),
                          [](char c) { return c == ' ' || IsAtomCharacter(c); })) {
    std::string quoted = "\"";
    for (const char c : name) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    name = quoted + '"';
  }
  return fmt::format("{} <{}>", name, mailbox.address);
}

bool IsMessageId(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at == 0 || at == std::string_view::npos || at + 1 == text.size() || text.size() > 900) {
    return false;
  }
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c > ' ' && c < 0x7F && c != '<' && c != '>'; });
}

std::string HeaderLine(std::string_view name, std::string_view value) {
  std::string out = fmt::format("{}:", name);
  std::size_t column = out.size();
  while (!value.empty()) {
    // A word together with the blanks before it: unfolding gives back the very same text.
    const std::size_t word = value.find_first_not_of(' ');
    const std::size_t end = word == std::string_view::npos ? value.size() : value.find(' ', word);
    const std::string_view piece = value.substr(0, end);
    const std::string_view lead = column == name.size() + 1 ? " " : "";
    if (column > name.size() + 1 && column + piece.size() > kFoldAt && piece.starts_with(' ')) {
      out += '\n';
      column = 0;
    }
    out.append(lead).append(piece);
    column += lead.size() + piece.size();
    value.remove_prefix(piece.size());
  }
  return out + '\n';
}

std::string QuotedPrintable(std::string_view body) {
  constexpr std::size_t kMostOfALine = 75;  // And "=" at its end.
  std::string out;
  std::size_t column = 0;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const char c = body[i];
    if (c == '\n') {
      out += '\n';
      column = 0;
      continue;
    }
    const bool before_line_end = i + 1 == body.size() || body[i + 1] == '\n';
    const bool plain =
        (c > ' ' && c < 0x7F && c != '=') || ((c == ' ' || c == '\t') && !before_line_end);
    const std::string encoded =
        plain ? std::string(1, c) : fmt::format("={:02X}", static_cast<unsigned char>(c));
    if (column + encoded.size() > kMostOfALine) {
      out += "=\n";
      column = 0;
    }
    out += encoded;
    column += encoded.size();
  }
  return out;
}

}  // namespace regressd::report
