#include "services/regressd/config_sources.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <utility>

#include "fmt/format.h"
#include "storage/near_names.h"

namespace regressd {
namespace {

// Read by our other programs and scripts; not for us, and no mistake.
constexpr std::array kOthersVariables = {"REGRESSD_SERVER",      "REGRESSD_BIN_DIR",
                                         "REGRESSD_CORPUS_DIR",  "REGRESSD_GOLDEN_DIR",
                                         "REGRESSD_DB_PASSWORD", "REGRESSD_REQUIRE_SHARED",
                                         "REGRESSD_SOURCE_DIR",  "REGRESSD_QUICKSTART_DIR"};
// Kubernetes sets these for a service called regressd.
constexpr std::array kOthersPrefixes = {"REGRESSD_SERVICE_", "REGRESSD_PORT"};

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

absl::StatusOr<std::string> ReadSecretFile(const std::string& path, std::string_view origin) {
  std::ifstream in(path, std::ios::binary);
  std::string text;
  // read() tells of a failure in the stream's state; iterators would throw it.
  std::array<char, 4096> buffer;
  while (in.read(buffer.data(), buffer.size()), in.gcount() > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (!in.is_open() || in.bad()) {
    return absl::InvalidArgumentError(fmt::format("{}: cannot read file {}", origin, path));
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

}  // namespace

namespace internal {

FoundSetting FindSetting(std::string_view spelled, Spelling spell) {
  for (const Setting& setting : Settings()) {
    if (spell(setting.name) == spelled) return {.setting = &setting, .as_file = false};
    if (setting.secret && spell(std::string(setting.name) + "_file") == spelled) {
      return {.setting = &setting, .as_file = true};
    }
  }
  return {};
}

std::string DidYouMean(std::string_view spelled, Spelling spell,
                       std::vector<std::string> also_known) {
  for (const Setting& setting : Settings()) also_known.push_back(spell(setting.name));
  const std::vector<std::string> near = storage::NearNames(spelled, also_known, 1);
  return near.empty() ? "; see regressd --help" : fmt::format("; did you mean {}?", near.front());
}

absl::Status AddSetting(const FoundSetting& found, std::string text, const std::string& origin,
                        SettingTexts& settings) {
  if (found.as_file) {
    absl::StatusOr<std::string> secret = ReadSecretFile(text, origin);
    if (!secret.ok()) return secret.status();
    text = *std::move(secret);
  }
  const auto [at, inserted] =
      settings.emplace(found.setting->name, SourcedText{.text = std::move(text), .origin = origin});
  if (!inserted) {
    return absl::InvalidArgumentError(fmt::format("{} and {} both set {}; keep one",
                                                  at->second.origin, origin, found.setting->name));
  }
  return absl::OkStatus();
}

}  // namespace internal

using internal::AddSetting;
using internal::DidYouMean;
using internal::FindSetting;
using internal::FoundSetting;

absl::StatusOr<CommandLine> ReadCommandLine(std::span<const std::string> arguments) {
  CommandLine line;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    std::optional<std::string> value;
    if (equals != std::string::npos) value = argument.substr(equals + 1);

    const std::pair<const char*, bool*> switches[] = {{"--help", &line.help},
                                                      {"-h", &line.help},
                                                      {"--version", &line.version},
                                                      {"--print-config", &line.print_config}};
    const auto* toggled = std::find_if(std::begin(switches), std::end(switches),
                                       [&](const auto& entry) { return name == entry.first; });
    if (toggled != std::end(switches) && !value) {
      *toggled->second = true;
      continue;
    }
    const bool is_config = name == "--config";
    const FoundSetting found = FindSetting(name, FlagName);
    if (!is_config && name != "--ports-file" && found.setting == nullptr) {
      return absl::InvalidArgumentError(fmt::format(
          "unknown option {}{}", argument,
          DidYouMean(name, FlagName,
                     {"--config", "--ports-file", "--print-config", "--help", "--version"})));
    }
    // "--grpc-reflection" alone is "--grpc-reflection=true".
    const bool is_bool = found.setting != nullptr && found.setting->type == SettingType::kBool;
    if (!value && is_bool) value = "true";
    if (!value) {
      if (++i == arguments.size()) {
        return absl::InvalidArgumentError(fmt::format("option {} needs a value", name));
      }
      value = arguments[i];
    }
    if (found.setting == nullptr) {
      (is_config ? line.config_file : line.ports_file) = *std::move(value);
    } else if (absl::Status status = AddSetting(found, *std::move(value), name, line.settings);
               !status.ok()) {
      return status;
    }
  }
  return line;
}

absl::StatusOr<SettingTexts> ReadEnvironment(
    const std::map<std::string, std::string>& environment) {
  SettingTexts settings;
  for (const auto& [name, value] : environment) {
    if (!StartsWith(name, "REGRESSD_")) continue;
    const FoundSetting found = FindSetting(name, EnvironmentName);
    if (found.setting == nullptr) {
      if (std::count(kOthersVariables.begin(), kOthersVariables.end(), name) > 0 ||
          name == "REGRESSD_CONFIG" ||
          std::any_of(kOthersPrefixes.begin(), kOthersPrefixes.end(),
                      [&](const char* prefix) { return StartsWith(name, prefix); })) {
        continue;
      }
      return absl::InvalidArgumentError(fmt::format("unknown environment variable {}{}", name,
                                                    DidYouMean(name, EnvironmentName)));
    }
    if (value.empty()) continue;  // What compose files and shells make of "not set".
    if (absl::Status status = AddSetting(found, value, name, settings); !status.ok()) return status;
  }
  // The name that hosting platforms use, behind our own.
  const auto url = environment.find("DATABASE_URL");
  if (url != environment.end() && !url->second.empty()) {
    settings.emplace("database.url", SourcedText{.text = url->second, .origin = "DATABASE_URL"});
  }
  return settings;
}

}  // namespace regressd
