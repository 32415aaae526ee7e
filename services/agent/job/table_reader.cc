#include "services/agent/job/table_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/cord.h"
#include "services/agent/read_file.h"
#include "services/common/near_name.h"

namespace regressd::agent {
namespace {

constexpr std::size_t kMaxFileBytes = 1 << 20;
// An error that says where it is carries this, so that nobody says it again.
constexpr const char* kPlaced = "regressd.dev/toml-place";

absl::Status Wrong(std::string what) { return absl::InvalidArgumentError(std::move(what)); }

/// No argument, path or setting can have it: the kernel takes it for the end.
absl::Status CheckNoNul(std::string_view text) {
  return text.find('\0') == text.npos ? absl::OkStatus()
                                      : Wrong("has a NUL character (\\u0000); leave it out");
}

/// The text of a value that stands for a text.
std::optional<std::string> PlainText(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
  if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
  return std::nullopt;
}

}  // namespace

TomlField TextField(std::string key, std::string* out) {
  return {std::move(key), [out](const toml::node& node) {
            const auto text = node.value_exact<std::string>();
            if (!text) return Wrong("must be a text in quotes");
            if (text->empty()) return Wrong("is empty; leave it out");
            *out = *text;
            return CheckNoNul(*text);
          }};
}

TomlField TextListField(std::string key, std::vector<std::string>* out) {
  return {std::move(key), [out](const toml::node& node) {
            const toml::array* list = node.as_array();
            if (list == nullptr) return Wrong("must be a list of texts: [\"a\", \"b\"]");
            for (const toml::node& item : *list) {
              const auto text = item.value_exact<std::string>();
              if (!text) return Wrong("must be a list of texts in quotes");
              if (absl::Status status = CheckNoNul(*text); !status.ok()) return status;
              out->push_back(*text);
            }
            return absl::OkStatus();
          }};
}

TomlField BoolField(std::string key, std::optional<bool>* out) {
  return {std::move(key), [out](const toml::node& node) {
            const auto flag = node.value_exact<bool>();
            if (!flag) return Wrong("must be true or false, without quotes");
            *out = *flag;
            return absl::OkStatus();
          }};
}

TomlField IntegerField(std::string key, std::int64_t least, std::int64_t most,
                       std::optional<std::int64_t>* out) {
  return {std::move(key), [least, most, out](const toml::node& node) {
            const auto number = node.value_exact<std::int64_t>();
            if (!number || *number < least || *number > most) {
              return Wrong(fmt::format("must be a whole number from {} to {}", least, most));
            }
            *out = *number;
            return absl::OkStatus();
          }};
}

TomlField NumberField(std::string key, double least, double most, std::optional<double>* out) {
  return {std::move(key), [least, most, out](const toml::node& node) {
            std::optional<double> number = node.value_exact<double>();
            if (const auto whole = node.value_exact<std::int64_t>()) {
              number = static_cast<double>(*whole);
            }
            if (!number || !(*number >= least && *number <= most)) {
              return Wrong(fmt::format("must be a number from {} to {}", least, most));
            }
            *out = *number;
            return absl::OkStatus();
          }};
}

TomlField PairsField(std::string key, std::vector<model::Axis>* out) {
  return {std::move(key), [out](const toml::node& node) {
            const toml::table* table = node.as_table();
            if (table == nullptr) return Wrong("must be a table of KEY = \"VALUE\"");
            struct Placed {
              toml::source_position place;
              model::Axis pair;
            };
            // The library sorts by key; print order is the order of the file.
            std::vector<Placed> pairs;
            for (const auto& [name, value] : *table) {
              const std::optional<std::string> text = PlainText(value);
              if (!text) {
                return Wrong(fmt::format("{} must be a text in quotes", std::string(name.str())));
              }
              for (const std::string_view part : {name.str(), std::string_view(*text)}) {
                if (absl::Status status = CheckNoNul(part); !status.ok()) return status;
              }
              pairs.push_back({value.source().begin, {std::string(name.str()), *text}});
            }
            std::stable_sort(pairs.begin(), pairs.end(),
                             [](const Placed& a, const Placed& b) { return a.place < b.place; });
            for (Placed& placed : pairs) out->push_back(std::move(placed.pair));
            return absl::OkStatus();
          }};
}

absl::Status TomlError(const toml::node& node, const std::string& file, std::string_view what) {
  absl::Status status =
      absl::InvalidArgumentError(fmt::format("{}:{}: {}", file, node.source().begin.line, what));
  status.SetPayload(kPlaced, absl::Cord());
  return status;
}

absl::Status ReadTable(const toml::table& table, const std::string& file,
                       const std::vector<TomlField>& fields) {
  for (const auto& [name, node] : table) {
    const std::string key(name.str());
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&key](const TomlField& f) { return f.key == key; });
    if (field == fields.end()) {
      std::vector<std::string> known;
      for (const TomlField& f : fields) known.push_back(f.key);
      const std::string near = common::NearName(key, known);
      std::string hint = near.empty() ? "" : fmt::format("; did you mean {}?", near);
      if (near.empty()) hint = fmt::format("; known are {}", fmt::join(known, ", "));
      return TomlError(node, file, fmt::format("unknown key {}{}", key, hint));
    }
    absl::Status status = field->read(node);
    if (status.ok()) continue;
    if (status.GetPayload(kPlaced)) return status;
    return TomlError(node, file, fmt::format("{} {}", key, std::string(status.message())));
  }
  return absl::OkStatus();
}

absl::StatusOr<toml::table> ParseToml(std::string_view text, const std::string& file) try {
  return toml::parse(text, file);
} catch (const toml::parse_error& e) {
  return absl::InvalidArgumentError(fmt::format("{}:{}:{}: {}", file, e.source().begin.line,
                                                e.source().begin.column, e.description()));
}

absl::StatusOr<std::string> ReadTomlText(const std::string& file) {
  std::optional<std::string> read = ReadFile(file);
  if (!read) {
    return absl::NotFoundError(fmt::format("cannot read {}: {}", file, std::strerror(errno)));
  }
  std::string text = *std::move(read);
  if (text.size() > kMaxFileBytes) {
    return absl::InvalidArgumentError(fmt::format("{} is larger than a mebibyte", file));
  }
  return text;
}

}  // namespace regressd::agent
