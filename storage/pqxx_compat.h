#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <pqxx/pqxx>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "fmt/format.h"

/// The one place that knows libpqxx 6 from libpqxx 7: parameters, fields, transaction types.
/// Parameters travel as text in an unnamed statement, so a pooler in transaction mode may stand in
/// between.

namespace regressd::storage {

#if PQXX_VERSION_MAJOR >= 7
/// Sees one snapshot and cannot write.
using SnapshotTransaction =
    pqxx::transaction<pqxx::isolation_level::repeatable_read, pqxx::write_policy::read_only>;
#else
/// Sees one snapshot and cannot write.
using SnapshotTransaction = pqxx::transaction<pqxx::repeatable_read, pqxx::read_only>;
#endif

namespace internal {

template <typename T>
concept Number = std::is_arithmetic_v<T> && !std::same_as<T, bool>;

std::string ArrayElement(std::string_view text);  ///< Quoted for an array literal.

inline std::string ToText(bool value) { return value ? "t" : "f"; }
template <Number T>
std::string ToText(T value) {
  return fmt::format("{}", value);  // The shortest text that reads back as the same number.
}
inline std::string ToText(std::string_view value) { return std::string(value); }

}  // namespace internal

/// The parameters $1, $2... of one statement. Takes bool, numbers, text (std::string,
/// std::string_view, const char*), std::optional of these (NULL when unset), and spans or vectors
/// of any of them, which become array literals: cast those in the SQL, `$1::text[]`.
class Params {
 public:
  Params() = default;
  template <typename... Values>
  requires(!std::same_as<std::remove_cvref_t<Values>, Params> &&
           ...) explicit Params(const Values&... values) {
    (Add(values), ...);
  }

  /// Appends one. Throws std::invalid_argument when a text has a NUL byte, which PostgreSQL cannot
  /// store.
  template <typename T>
  requires(internal::Number<T> || std::same_as<T, bool>) void Add(T value) {
    values_.emplace_back(internal::ToText(value));
  }
  void Add(std::string_view text);
  void Add(const std::string& text) { Add(std::string_view(text)); }
  void Add(const char* text) { Add(std::string_view(text)); }
  void Add(std::nullopt_t) { values_.emplace_back(std::nullopt); }
  template <typename T>
  void Add(const std::optional<T>& value) {
    if (value) {
      Add(*value);
    } else {
      Add(std::nullopt);
    }
  }
  template <typename T>
  void Add(std::span<const T> elements) {
    std::string literal = "{";
    for (const auto& element : elements) {
      if (literal.size() > 1) literal += ',';
      AppendElement(literal, element);
    }
    Add(std::string_view(literal += '}'));
  }
  template <typename T>
  void Add(const std::vector<T>& elements) {
    if constexpr (std::same_as<T, bool>) {
      std::string literal = "{";
      for (const bool element : elements)
        literal += literal.size() > 1 ? (element ? ",t" : ",f") : (element ? "t" : "f");
      Add(std::string_view(literal += '}'));
    } else {
      Add(std::span<const T>(elements));
    }
  }

  const std::vector<std::optional<std::string>>& values() const { return values_; }

 private:
  template <typename T>
  static void AppendElement(std::string& literal, const T& element) {
    if constexpr (std::same_as<T, bool> || internal::Number<T>) {
      literal += internal::ToText(element);
    } else {
      literal += internal::ArrayElement(element);
    }
  }
  template <typename T>
  static void AppendElement(std::string& literal, const std::optional<T>& element) {
    if (element) {
      AppendElement(literal, *element);
    } else {
      literal += "NULL";
    }
  }

  std::vector<std::optional<std::string>> values_;
};

/// Runs one statement. Throws what libpqxx throws: call it inside InTransaction.
pqxx::result ExecParams(pqxx::transaction_base& transaction, const std::string& sql,
                        const Params& params);

/// Exec(transaction, "SELECT ... WHERE a = $1 AND b = ANY($2::int8[])", a, list).
template <typename... Values>
pqxx::result Exec(pqxx::transaction_base& transaction, const std::string& sql,
                  const Values&... values) {
  return ExecParams(transaction, sql, Params(values...));
}

/// One or more statements without parameters, separated by semicolons.
pqxx::result ExecScript(pqxx::transaction_base& transaction, const std::string& sql);

/// A stored value that this version has no form for: written by SQL, or by a newer version. What it
/// says follows the name of a row: "column start_time is infinity".
class UnreadableValue : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The elements of a one-dimensional array literal; unset for NULL.
/// Throws UnreadableValue when it is none.
std::vector<std::optional<std::string>> SplitArray(std::string_view literal);

/// A value's text as T: std::string, bool, an integer or a floating point number.
/// Throws UnreadableValue when the text is not wholly one.
template <typename T>
T FromText(std::string_view text) {
  if constexpr (std::same_as<T, std::string>) {
    return std::string(text);
  } else if constexpr (std::same_as<T, bool>) {
    if (text == "t" || text == "f") return text == "t";
    throw UnreadableValue(fmt::format("holds '{}', which is no boolean", text));
  } else {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
      throw UnreadableValue(fmt::format("holds '{}', which is no number of its type", text));
    }
    return value;
  }
}

/// What `read()` gives; an UnreadableValue of it names the field's column.
template <typename Read>
auto InColumn(const pqxx::field& field, Read&& read) -> decltype(read()) try {
  return read();
} catch (const UnreadableValue& e) {
  throw UnreadableValue(fmt::format("column {} {}", field.name(), e.what()));
}

/// The field's value. Throws UnreadableValue when it is NULL or not a T.
template <typename T>
T Get(const pqxx::field& field) {
  return InColumn(field, [&] {
    if (field.is_null()) throw UnreadableValue("is NULL");
    return FromText<T>(std::string_view(field.c_str(), field.size()));
  });
}

/// The field's text as an enum that has FromString. Throws UnreadableValue when it has none such.
template <typename Enum>
Enum GetEnum(const pqxx::field& field) {
  const std::string text = Get<std::string>(field);
  return InColumn(field, [&] {
    Enum value{};
    if (!FromString(text, &value)) {
      throw UnreadableValue(fmt::format("holds '{}', which this version does not know", text));
    }
    return value;
  });
}

/// The field's value, unset for NULL.
template <typename T>
std::optional<T> GetOptional(const pqxx::field& field) {
  if (field.is_null()) return std::nullopt;
  return Get<T>(field);
}

/// An array column without NULL elements.
template <typename T>
std::vector<T> GetArray(const pqxx::field& field) {
  const std::string literal = Get<std::string>(field);
  return InColumn(field, [&] {
    std::vector<T> values;
    for (const auto& element : SplitArray(literal)) {
      if (!element) throw UnreadableValue("has a NULL element");
      values.push_back(FromText<T>(*element));
    }
    return values;
  });
}

/// An array column whose elements may be NULL.
template <typename T>
std::vector<std::optional<T>> GetArrayOfOptional(const pqxx::field& field) {
  std::vector<std::optional<T>> values;
  for (const auto& element : SplitArray(Get<std::string>(field))) {
    values.push_back(element ? std::optional<T>(FromText<T>(*element)) : std::nullopt);
  }
  return values;
}

/// A broken connection stays broken: libpqxx 6 would silently open another.
void ForbidReactivation(pqxx::connection& connection);

}  // namespace regressd::storage
