#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "services/regressd/settings.h"

namespace regressd {

/// A setting's value as it was written, and where.
struct SourcedText {
  std::string text;
  std::string origin;  ///< "--grpc-listen", "REGRESSD_GRPC_LISTEN", "regressd.toml:3", "default".
};

/// By setting name.
using SettingTexts = std::map<std::string, SourcedText, std::less<>>;

/// What the command line says beside settings.
struct CommandLine {
  SettingTexts settings;
  std::optional<std::string> config_file;
  std::optional<std::string> ports_file;
  bool print_config = false;
  bool help = false;
  bool version = false;
};

/// Each reads one source. Secrets' files are read here.
/// Errors: InvalidArgument, naming the place and a near name, for anything unknown, doubled or of
/// the wrong type.
absl::StatusOr<CommandLine> ReadCommandLine(std::span<const std::string> arguments);
absl::StatusOr<SettingTexts> ReadEnvironment(const std::map<std::string, std::string>& environment);
absl::StatusOr<SettingTexts> ReadTomlFile(const std::string& path);

namespace internal {

/// How one source spells settings.
using Spelling = std::string (*)(std::string_view setting);

struct FoundSetting {
  const Setting* setting = nullptr;  ///< Null: unknown.
  bool as_file = false;              ///< Its secret is in a file.
};
FoundSetting FindSetting(std::string_view spelled, Spelling spell);

/// "; did you mean X?" or where to look.
std::string DidYouMean(std::string_view spelled, Spelling spell,
                       std::vector<std::string> also_known = {});

/// Adds a value. Errors: InvalidArgument when the setting is there already or its file cannot be
/// read.
absl::Status AddSetting(const FoundSetting& found, std::string text, const std::string& origin,
                        SettingTexts& settings);

}  // namespace internal

}  // namespace regressd
