#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace regressd {

enum class SettingType { kText, kInteger, kBool, kChoice };

/// One thing that an operator may set, under one name in three spellings: `grpc.listen` in the TOML
/// file, REGRESSD_GRPC_LISTEN in the environment, --grpc-listen on the command line.
struct Setting {
  std::string_view name;
  SettingType type = SettingType::kText;
  std::string_view default_text;
  std::string_view help;
  bool secret = false;            ///< Never printed; may also be given as a file: name + "_file".
  std::int64_t min = 0;           ///< Of a kInteger.
  std::int64_t max = 0;           ///< Of a kInteger.
  std::string_view choices = "";  ///< Of a kChoice, separated by '|'.
};

/// The one table of all settings, in the order in which they are printed.
std::span<const Setting> Settings();

/// REGRESSD_GRPC_LISTEN for grpc.listen.
std::string EnvironmentName(std::string_view setting);

/// --grpc-listen for grpc.listen.
std::string FlagName(std::string_view setting);

/// Every option with its default and meaning, as --help prints it.
std::string HelpText();

}  // namespace regressd
