#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "services/agent/child_process.h"
#include "services/agent/clean_text.h"
#include "services/agent/read_file.h"
#include "services/agent/recording.h"
#include "services/parse/text.h"

namespace regressd::agent {
namespace {

constexpr std::size_t kMaxQuote = 80;  // Of another tool's words.

absl::StatusOr<std::string> ReadStdin(int interrupt_fd) {
  std::string text;
  std::array<char, 65536> buffer;
  std::array<pollfd, 2> polled = {pollfd{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                                  pollfd{.fd = interrupt_fd, .events = POLLIN, .revents = 0}};
  for (;;) {
    poll(polled.data(), polled.size(), -1);
    if (polled[1].revents != 0) {
      return absl::CancelledError(
          fmt::format("interrupted after {} bytes of standard input", text.size()));
    }
    if (polled[0].revents == 0) continue;
    const ssize_t got = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got == 0) return text;
    if (got > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (errno != EINTR && errno != EAGAIN) {
      return absl::UnavailableError(
          fmt::format("standard input cannot be read: {}", std::strerror(errno)));
    }
  }
}

struct Unpacker {
  std::string_view file_end;
  const char* program;
  std::string_view package;
};

constexpr Unpacker kUnpackers[] = {{".xz", "xz", "xz-utils"}, {".gz", "gzip", "gzip"}};

/// Damage and absence are both the tool's to report.
absl::StatusOr<std::string> Unpack(const std::string& file, const Unpacker& unpacker,
                                   int interrupt_fd) {
  const absl::StatusOr<CapturedOutput> unpacked = Capture(
      {unpacker.program, "-dc", "--", file},
      {.timeout = std::chrono::minutes(5), .separate_errors = true, .interrupt_fd = interrupt_fd});
  if (absl::IsNotFound(unpacked.status())) {
    return absl::NotFoundError(
        fmt::format("{}: no {} in PATH; install {}", file, unpacker.program, unpacker.package));
  }
  if (!unpacked.ok()) return unpacked.status();
  if (unpacked->exit.exit_status != 0) {
    return absl::DataLossError(fmt::format("{}: it cannot be unpacked ({}): {}", file,
                                           unpacked->exit.Describe(),
                                           CleanText(parse::Trim(unpacked->errors), kMaxQuote)));
  }
  return unpacked->text;
}

}  // namespace

absl::StatusOr<std::string> ReadRecordingFile(const std::string& file, int interrupt_fd) {
  if (file == "-") return ReadStdin(interrupt_fd);
  // A pipe without a writer would be waited for, and signals are held back meanwhile.
  std::error_code unreadable;
  const auto status = std::filesystem::status(file, unreadable);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return absl::InvalidArgumentError(
        fmt::format("{}: no regular file; give - and send it to standard input", file));
  }
  for (const Unpacker& unpacker : kUnpackers) {
    if (file.ends_with(unpacker.file_end)) return Unpack(file, unpacker, interrupt_fd);
  }
  std::optional<std::string> text = ReadFile(file);
  if (text) return *std::move(text);
  return absl::NotFoundError(fmt::format("{}: cannot be read: {}", file, std::strerror(errno)));
}

}  // namespace regressd::agent
