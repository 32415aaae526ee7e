#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace regressd::report {

/// `text` as the value of an unstructured header: line ends and tabs become blanks, other control
/// and direction characters are spelled out, and what is not plain ASCII becomes RFC 2047 encoded
/// words. No input can start another header.
std::string HeaderText(std::string_view text);

/// A person as "Name <user@host>".
struct Mailbox {
  std::string name;
  std::string address;
};

/// Reads "Name <user@host>" or "user@host"; unset when there is no address that a header can carry.
std::optional<Mailbox> ParseMailbox(std::string_view text);

/// The mailbox as a header has it: the name quoted or encoded where it must be.
std::string HeaderMailbox(const Mailbox& mailbox);

/// True for "left@right" of visible ASCII without < and >: safe in Message-ID, In-Reply-To and
/// References.
bool IsMessageId(std::string_view text);

/// "Name: value", folded at blanks to lines of at most 76 characters where blanks allow it; ends
/// with a line feed.
std::string HeaderLine(std::string_view name, std::string_view value);

/// RFC 2045 quoted-printable of a UTF-8 body with LF line ends.
std::string QuotedPrintable(std::string_view body);

}  // namespace regressd::report
