#include "services/report/render_mail.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "services/report/current_numbers.h"
#include "services/report/mail_body.h"
#include "services/report/mail_headers.h"
#include "services/report/render_table.h"
#include "services/report/text.h"
#include "services/report/time_text.h"

namespace regressd::report {
namespace {

using model::Regression;

constexpr std::size_t kLongest8BitLine = 998;  // RFC 5321, without the line end.

bool IsReply(std::string_view subject) {
  return subject.size() >= 3 && std::tolower(static_cast<unsigned char>(subject[0])) == 'r' &&
         std::tolower(static_cast<unsigned char>(subject[1])) == 'e' && subject[2] == ':';
}

/// "mm/swap" of "mm/swap: Batch the writes"; empty when the subject names no subsystem.
std::string Subsystem(std::string_view subject) {
  const std::size_t colon = subject.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon > 40) return "";
  const std::string_view prefix = subject.substr(0, colon);
  return prefix.find(' ') == std::string_view::npos ? Printable(prefix) : "";
}

/// "vm-scalability.throughput -9.8% regression", the order of LKP's subjects.
std::string SubjectFinding(const Regression& regression) {
  if (regression.metrics.empty()) return Printable(regression.title);
  const std::string title = Title(regression.metrics.front());
  const std::string of = " of " + Printable(regression.metrics.front().metric.name);
  const std::size_t at = title.find(of);
  const char* fate = regression.state == model::RegressionState::kRetracted ? " (retracted)" : "";
  return of.substr(4) + ' ' + title.substr(0, at) + title.substr(at + of.size()) + fate;
}

std::string Subject(const Regression& regression) {
  const model::Commit& head = regression.head;
  if (head.patch) {
    const std::string own = Unfolded(head.patch->subject);
    const std::string subject = own.empty() ? SubjectFinding(regression) : own;
    return IsReply(subject) ? subject : "Re: " + subject;
  }
  const auto tag = [](const std::string& name) {
    return name.empty() ? "" : fmt::format("[{}]", name);
  };
  const std::string branch = head.branches.empty() ? "" : Unfolded(head.branches.front());
  // Two blanks behind the tags, as the robot's subjects have them.
  const std::string tags = Joined({tag(branch), tag(Subsystem(head.subject))}, " ");
  const std::string finding =
      fmt::format("{}: {}", Unfolded(ShortCommit(head)), SubjectFinding(regression));
  return Joined({tags, finding}, "  ");
}

/// Depends on what was found where, not on how often or when it was written.
std::string MessageIdOf(const Regression& regression, const MailOptions& options) {
  const std::int64_t hash =
      model::Hash63(regression.axes.Canonical() + '\n' + regression.base.commit_id + '\n' +
                    regression.head.commit_id);
  const auto bot = ParseMailbox(options.bot_address);
  const std::string host = bot ? bot->address.substr(bot->address.rfind('@') + 1) : "localhost";
  return fmt::format("regression.{}.{:016x}@{}", regression.regression_id, hash, host);
}

bool FitsIn8Bit(std::string_view body) {
  while (!body.empty()) {
    const std::size_t end = body.find('\n');
    if (std::min(end, body.size()) > kLongest8BitLine) return false;
    body.remove_prefix(end == std::string_view::npos ? body.size() : end + 1);
  }
  return true;
}

std::string To(const Regression& regression) {
  const model::Commit& head = regression.head;
  const std::string& author =
      head.patch && !head.patch->author.empty() ? head.patch->author : head.author;
  const auto mailbox = ParseMailbox(author);
  return mailbox ? HeaderMailbox(*mailbox) : "undisclosed-recipients:;";
}

std::string From(const MailOptions& options) {
  const auto bot = ParseMailbox(options.bot_address);
  return HeaderMailbox({options.bot_name, bot ? bot->address : "regressd@localhost"});
}

std::string Threading(const Regression& regression) {
  if (!regression.head.patch || !IsMessageId(regression.head.patch->message_id)) return "";
  const std::string id = fmt::format("<{}>", regression.head.patch->message_id);
  return HeaderLine("In-Reply-To", id) + HeaderLine("References", id);
}

std::string OwnHeaders(const Regression& regression, const MailOptions& options) {
  std::string text =
      HeaderLine("X-Regressd-Regression", fmt::format("{}", regression.regression_id));
  text += HeaderLine("X-Regressd-State", std::string(ToString(regression.state)));
  text += HeaderLine("X-Regressd-Base", HeaderText(regression.base.commit_id));
  text += HeaderLine("X-Regressd-Head", HeaderText(regression.head.commit_id));
  if (const auto testcase = regression.axes.Find("testcase")) {
    text += HeaderLine("X-Regressd-Testcase", HeaderText(*testcase));
  }
  if (!options.base_url.empty()) {
    text +=
        HeaderLine("X-Regressd-Link",
                   HeaderText(fmt::format("{}/r/{}", options.base_url, regression.regression_id)));
  }
  return text;
}

}  // namespace

Mail RenderMail(const Regression& stored, const model::ComparisonBlock& block,
                const MailOptions& options) {
  const Regression regression = WithNumbersOf(block, stored);
  Mail mail;
  mail.subject = Subject(regression);
  mail.message_id = MessageIdOf(regression, options);
  mail.body = MailBody(regression, block, options, mail.message_id);
  const bool is_8bit = FitsIn8Bit(mail.body);
  mail.rfc5322 = HeaderLine("From", From(options)) + HeaderLine("To", To(regression)) +
                 HeaderLine("Subject", HeaderText(mail.subject)) +
                 HeaderLine("Date", Rfc5322Date(regression.update_time)) +
                 HeaderLine("Message-ID", fmt::format("<{}>", mail.message_id)) +
                 Threading(regression) + HeaderLine("MIME-Version", "1.0") +
                 HeaderLine("Content-Type", "text/plain; charset=utf-8") +
                 HeaderLine("Content-Transfer-Encoding", is_8bit ? "8bit" : "quoted-printable") +
                 HeaderLine("Auto-Submitted", "auto-generated") + OwnHeaders(regression, options);
  mail.rfc5322 += '\n' + (is_8bit ? mail.body : QuotedPrintable(mail.body));
  return mail;
}

std::string ToMbox(const Mail& mail, const Regression& regression) {
  std::string entry = fmt::format("From MAILER-DAEMON {}\n", AsctimeDate(regression.update_time));
  std::string_view rest = mail.rfc5322;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    const std::size_t quotes = std::min(line.find_first_not_of('>'), line.size());
    if (line.substr(quotes).starts_with("From ")) entry += '>';
    entry.append(line).push_back('\n');
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return entry + '\n';
}

}  // namespace regressd::report
