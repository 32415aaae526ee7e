#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include "services/ctl/arguments.h"
#include "services/ctl/command.h"
#include "services/ctl/regression_client.h"
#include "services/report/text.h"

namespace regressd::ctl {
namespace {

struct ReportOptions {
  std::int64_t id = 0;
  std::string mbox;
};

bool WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

absl::Status FileError(const std::string& file) {
  return absl::InvalidArgumentError(
      fmt::format("cannot append to {}: {}", report::OneLine(file), std::strerror(errno)));
}

// Locked, so that two appenders and a mail reader do not mix their messages.
absl::Status Append(const std::string& file, std::string_view text) {
  constexpr mode_t kMode = 0644;
  const int fd = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, kMode);
  if (fd < 0) return FileError(file);
  const bool good = ::flock(fd, LOCK_EX) == 0 && WriteAll(fd, text);
  absl::Status status = good ? absl::OkStatus() : FileError(file);
  if (::close(fd) != 0 && status.ok()) status = FileError(file);
  return status;
}

absl::StatusOr<ExitCode> Report(Context& context, const ReportOptions& options) {
  const RegressionClient client(context.connection, context.skipped);
  const absl::StatusOr<report::Mail> mail = client.Report(options.id);
  if (!mail.ok()) return mail.status();
  if (options.mbox.empty()) {
    context.output.Write(mail->rfc5322);
    return ExitCode::kOk;
  }
  const auto history = client.Get(options.id);
  if (!history.ok()) return history.status();
  const absl::Status appended = Append(options.mbox, report::ToMbox(*mail, history->regression));
  if (!appended.ok()) return appended;
  Say(context, fmt::format("appended <{}> to {}", mail->message_id, options.mbox));
  return ExitCode::kOk;
}

}  // namespace

void AddReportCommand(Commands& commands) {
  CLI::App* app =
      commands.app.add_subcommand("report", "Print the mail that a maintainer would get");
  auto options = std::make_shared<ReportOptions>();
  AddRegressionId(app, &options->id);
  app->add_option("--mbox", options->mbox, "Append it to this mailbox instead")
      ->type_name("FILE")
      ->check(NotEmpty());
  commands.work[app] = [options](Context& context) { return Report(context, *options); };
}

}  // namespace regressd::ctl
