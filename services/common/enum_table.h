#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "services/common/field_checks.h"

namespace regressd::common {

/// Values of an enum of the nouns and of the wire. UNSPECIFIED stands in none.
template <typename Model, typename Proto, std::size_t kSize>
using EnumTable = std::array<std::pair<Model, Proto>, kSize>;

/// The wire value; UNSPECIFIED when the table lacks it.
template <typename Model, typename Proto, std::size_t kSize>
constexpr Proto ProtoOf(const EnumTable<Model, Proto, kSize>& table, Model value) {
  for (const auto& [model, proto] : table) {
    if (model == value) return proto;
  }
  return Proto{};
}

/// Sets `*out`; false, with a violation of `field`, for UNSPECIFIED and for values that this
/// program does not know.
template <typename Model, typename Proto, std::size_t kSize>
bool ModelOf(const EnumTable<Model, Proto, kSize>& table, Proto value, std::string_view field,
             FieldChecks* checks, Model* out) {
  for (const auto& [model, proto] : table) {
    if (proto == value) {
      *out = model;
      return true;
    }
  }
  const int number = static_cast<int>(value);
  checks->Fail(field, number == 0 ? std::string("is not set; set it")
                                  : fmt::format("is {}, which this version does not know", number));
  return false;
}

}  // namespace regressd::common
