#include <toml++/toml.h>

#include <fstream>
#include <utility>

#include "fmt/format.h"
#include "services/regressd/config_sources.h"

namespace regressd {
namespace {

std::string AsInFile(std::string_view setting) { return std::string(setting); }

struct Reader {
  const std::string& path;
  SettingTexts settings;

  absl::Status Error(const toml::node& node, std::string_view what) const {
    return absl::InvalidArgumentError(
        fmt::format("{}:{}: {}", path, node.source().begin.line, what));
  }

  absl::Status ReadTable(const toml::table& table, const std::string& prefix);
  absl::Status ReadValue(const toml::node& node, const std::string& name);
};

absl::Status Reader::ReadTable(const toml::table& table, const std::string& prefix) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    const toml::table* inner = node.as_table();
    absl::Status status = inner != nullptr ? ReadTable(*inner, name + ".") : ReadValue(node, name);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Reader::ReadValue(const toml::node& node, const std::string& name) {
  const internal::FoundSetting found = internal::FindSetting(name, AsInFile);
  if (found.setting == nullptr) {
    return Error(node,
                 fmt::format("unknown setting {}{}", name, internal::DidYouMean(name, AsInFile)));
  }
  std::string text;
  if (found.setting->type == SettingType::kInteger) {
    const auto value = node.value_exact<std::int64_t>();
    if (!value) return Error(node, fmt::format("{} must be a whole number", name));
    text = std::to_string(*value);
  } else if (found.setting->type == SettingType::kBool) {
    const auto value = node.value_exact<bool>();
    if (!value) return Error(node, fmt::format("{} must be true or false, without quotes", name));
    text = *value ? "true" : "false";
  } else {
    const auto value = node.value_exact<std::string>();
    if (!value) return Error(node, fmt::format("{} must be a text in quotes", name));
    text = *value;
  }
  return internal::AddSetting(found, std::move(text),
                              fmt::format("{}:{}", path, node.source().begin.line), settings);
}

}  // namespace

absl::StatusOr<SettingTexts> ReadTomlFile(const std::string& path) try {
  std::ifstream in(path);
  if (!in)
    return absl::InvalidArgumentError(fmt::format("cannot read configuration file {}", path));
  const toml::table table = toml::parse(in, path);
  Reader reader{.path = path, .settings = {}};
  if (absl::Status status = reader.ReadTable(table, ""); !status.ok()) return status;
  return std::move(reader.settings);
} catch (const toml::parse_error& e) {
  return absl::InvalidArgumentError(fmt::format("{}:{}:{}: {}", path, e.source().begin.line,
                                                e.source().begin.column, e.description()));
}

}  // namespace regressd
