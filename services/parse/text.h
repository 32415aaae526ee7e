#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regressd::parse {

/// Takes the next line off `*rest` without its '\n' or "\r\n". False at the end.
/// `*terminated`, when given, is false for a last line without '\n'.
bool NextLine(std::string_view* rest, std::string_view* line, bool* terminated = nullptr);

std::string_view Trim(std::string_view text);

/// Replaces `*out` by the words of `text`, separated by blanks and tabs.
void SplitWords(std::string_view text, std::vector<std::string_view>* out);
/// Replaces `*out` by the fields of `text`, separated by `separator`, blanks round them dropped.
void SplitFields(std::string_view text, char separator, std::vector<std::string_view>* out);

/// Whole-text numbers; nullopt when anything is left over, out of range, or not finite.
std::optional<std::int64_t> ToInt(std::string_view text);
std::optional<std::uint64_t> ToUnsigned(std::string_view text);
std::optional<double> ToDouble(std::string_view text);

/// Why `text` can be no metric's name: "is empty", "is not UTF-8", "has a control character", "is
/// longer than 384 bytes"; empty when it can.
std::string_view NameFault(std::string_view text);

/// Control characters and bytes above 0x7e as \xNN.
std::string Printable(std::string_view text);

/// For messages: Printable in quotes, cut to 60 bytes.
std::string Quote(std::string_view text);

}  // namespace regressd::parse
