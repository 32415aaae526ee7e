#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace regressd::model {

/// A table of an enum's values and their text forms.
template <typename Value, std::size_t kSize>
using Names = std::array<std::pair<Value, std::string_view>, kSize>;

/// The text of `value`; empty when the table lacks it.
template <typename Value, std::size_t kSize>
constexpr std::string_view NameOf(const Names<Value, kSize>& names, Value value) {
  for (const auto& [known, name] : names) {
    if (known == value) return name;
  }
  return "";
}

/// Sets `*out` to the value of `text`; false when the table lacks it.
template <typename Value, std::size_t kSize>
constexpr bool ValueOf(const Names<Value, kSize>& names, std::string_view text, Value* out) {
  for (const auto& [value, name] : names) {
    if (name == text) {
      *out = value;
      return true;
    }
  }
  return false;
}

}  // namespace regressd::model
