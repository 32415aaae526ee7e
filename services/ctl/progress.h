#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace regressd::ctl {

/// Tells on standard error how far long work is: one line that rewrites itself on a terminal, a
/// plain line every few seconds otherwise. Says nothing in the first second. One thread.
class Progress {
 public:
  enum class Style { kNone, kTerminal, kLines };

  /// `what` is the plural of what is counted: "commits". `total` when it is known.
  Progress(Style style, std::string what, std::optional<std::int64_t> total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// So many are done now.
  void Set(std::int64_t done);

 private:
  std::string Line(std::chrono::duration<double> elapsed) const;

  const Style style_;
  const std::string what_;
  const std::optional<std::int64_t> total_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_shown_ = begin_;
  std::int64_t done_ = 0;
  bool shown_ = false;
};

}  // namespace regressd::ctl
