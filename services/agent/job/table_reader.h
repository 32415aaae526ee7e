#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/model/axes.h"

namespace regressd::agent {

/// How one key of a TOML table is read: its error says only what is wrong with the value.
struct TomlField {
  std::string key;
  std::function<absl::Status(const toml::node& node)> read;
};

TomlField TextField(std::string key, std::string* out);
TomlField TextListField(std::string key, std::vector<std::string>* out);
TomlField BoolField(std::string key, std::optional<bool>* out);
/// From `least` to `most`.
TomlField IntegerField(std::string key, std::int64_t least, std::int64_t most,
                       std::optional<std::int64_t>* out);
/// Whole numbers too. From `least` to `most`.
TomlField NumberField(std::string key, double least, double most, std::optional<double>* out);
/// A table of free keys whose values are texts, whole numbers, or true and false, in the order of
/// the file.
TomlField PairsField(std::string key, std::vector<model::Axis>* out);

/// Reads a table's keys. Errors: InvalidArgument, "file:line: ...", for an unknown key, with the
/// one that was probably meant, and for what a field refuses. An error that has its own place
/// already (a table in the table) is passed on as it is.
absl::Status ReadTable(const toml::table& table, const std::string& file,
                       const std::vector<TomlField>& fields);

/// "file:line: what".
absl::Status TomlError(const toml::node& node, const std::string& file, std::string_view what);

/// Errors: InvalidArgument for what is no TOML, "file:line:column: ...".
absl::StatusOr<toml::table> ParseToml(std::string_view text, const std::string& file);

/// The whole text of a file of at most a mebibyte. Errors: NotFound, InvalidArgument.
absl::StatusOr<std::string> ReadTomlText(const std::string& file);

}  // namespace regressd::agent
