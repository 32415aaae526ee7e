#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace regressd::agent {

/// Cuts a stream of bytes into lines. A line longer than the limit is given in its first
/// `kMaxLineBytes`; the rest of it is dropped. One thread.
class LineSplitter {
 public:
  static constexpr std::size_t kMaxLineBytes = 64 * 1024;

  /// Calls `on_line(std::string_view)` for each line that `bytes` completes, without its end.
  template <typename OnLine>
  void Feed(std::string_view bytes, OnLine&& on_line) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      const std::string_view part = bytes.substr(0, end);
      if (end != std::string_view::npos && pending_.empty() && part.size() <= kMaxLineBytes) {
        on_line(WithoutReturn(part));
      } else {
        pending_.append(part.substr(0, kMaxLineBytes - pending_.size()));
        if (end != std::string_view::npos) {
          on_line(WithoutReturn(pending_));
          pending_.clear();
        }
      }
      if (end == std::string_view::npos) return;
      bytes.remove_prefix(end + 1);
    }
  }

  /// The last line, when it had no end.
  template <typename OnLine>
  void Finish(OnLine&& on_line) {
    if (!pending_.empty()) on_line(WithoutReturn(pending_));
    pending_.clear();
  }

 private:
  static std::string_view WithoutReturn(std::string_view line) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
  }

  std::string pending_;
};

}  // namespace regressd::agent
