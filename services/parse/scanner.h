#pragma once

#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

namespace regressd::parse {

/// Reads a text from its beginning, piece by piece. A piece that is not there is not taken.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool Text(std::string_view piece) {
    if (!rest_.starts_with(piece)) return false;
    rest_.remove_prefix(piece.size());
    return true;
  }

  void Skip(char c) {
    while (rest_.starts_with(c)) rest_.remove_prefix(1);
  }

  /// Skips all up to the end of the first `piece`.
  bool Past(std::string_view piece) {
    const std::size_t begin = rest_.find(piece);
    if (begin == std::string_view::npos) return false;
    rest_.remove_prefix(begin + piece.size());
    return true;
  }

  /// A number without sign that is in the range of its type.
  template <typename T>
  bool Number(T* out) {
    if (rest_.empty() || rest_.front() == '-') return false;
    T value{};
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || !std::isfinite(static_cast<double>(value))) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    *out = value;
    return true;
  }

  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

}  // namespace regressd::parse
