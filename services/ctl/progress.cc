#include "services/ctl/progress.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace regressd::ctl {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTerminalInterval{200};
constexpr milliseconds kLineInterval{5000};
constexpr milliseconds kQuietStart{1000};

}  // namespace

Progress::Progress(Style style, std::string what, std::optional<std::int64_t> total)
    : style_(style), what_(std::move(what)), total_(total) {}

Progress::~Progress() {
  if (shown_ && style_ == Style::kTerminal) fmt::print(stderr, "\r\x1b[K");
}

void Progress::Set(std::int64_t done) {
  done_ = done;
  if (style_ == Style::kNone) return;
  const auto now = std::chrono::steady_clock::now();
  const auto interval = style_ == Style::kTerminal ? kTerminalInterval : kLineInterval;
  if (now - begin_ < kQuietStart || now - last_shown_ < interval) return;
  last_shown_ = now;
  shown_ = true;
  const std::string line = Line(now - begin_);
  if (style_ == Style::kTerminal) {
    fmt::print(stderr, "\r{}\x1b[K", line);
  } else {
    fmt::print(stderr, "{}\n", line);
  }
  std::fflush(stderr);
}

std::string Progress::Line(std::chrono::duration<double> elapsed) const {
  const double rate = static_cast<double>(done_) / elapsed.count();
  if (!total_ || *total_ <= 0 || rate <= 0) {
    return fmt::format("{} {}, {:.0f}/s", done_, what_, rate);
  }
  const double left_seconds = static_cast<double>(*total_ - done_) / rate;
  return fmt::format("{} of {} {} ({} %), {:.0f}/s, {:.0f} s to go", done_, *total_, what_,
                     done_ * 100 / *total_, rate, left_seconds);
}

}  // namespace regressd::ctl
