#include "services/regressd/config.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "fmt/format.h"
#include "storage/conninfo.h"

namespace regressd {
namespace {

using Environment = std::map<std::string, std::string>;

std::string DefaultDataDir(const Environment& environment, bool is_root) {
  if (is_root) return "/var/lib/regressd";
  const auto value = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  };
  if (const std::string home = value("XDG_DATA_HOME"); !home.empty()) return home + "/regressd";
  if (const std::string home = value("HOME"); !home.empty()) return home + "/.local/share/regressd";
  return "";
}

absl::Status Refuse(const SourcedText& value, const std::string& what) {
  return absl::InvalidArgumentError(fmt::format("{}: {}", value.origin, what));
}

std::optional<std::int64_t> ParseInteger(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool IsOneOf(std::string_view choices, std::string_view text) {
  while (!choices.empty()) {
    const std::size_t bar = std::min(choices.find('|'), choices.size());
    if (choices.substr(0, bar) == text) return true;
    choices.remove_prefix(std::min(bar + 1, choices.size()));
  }
  return false;
}

absl::Status CheckType(const Setting& setting, const SourcedText& value) {
  switch (setting.type) {
    case SettingType::kText:
      return absl::OkStatus();
    case SettingType::kBool:
      if (value.text == "true" || value.text == "false") return absl::OkStatus();
      return Refuse(value,
                    fmt::format("{} is '{}' and must be true or false", setting.name, value.text));
    case SettingType::kChoice:
      if (IsOneOf(setting.choices, value.text)) return absl::OkStatus();
      return Refuse(value, fmt::format("{} is '{}' and must be one of {}", setting.name, value.text,
                                       setting.choices));
    case SettingType::kInteger: {
      const std::optional<std::int64_t> number = ParseInteger(value.text);
      if (number && *number >= setting.min && *number <= setting.max) return absl::OkStatus();
      return Refuse(value, fmt::format("{} is '{}' and must be a whole number from {} to {}",
                                       setting.name, value.text, setting.min, setting.max));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckListen(const SourcedText& value, std::string_view name) {
  const std::size_t colon = value.text.rfind(':');
  const std::optional<std::int64_t> port =
      colon == std::string::npos ? std::nullopt
                                 : ParseInteger(std::string_view(value.text).substr(colon + 1));
  const std::string host = value.text.substr(0, colon);
  const bool bare_ipv6 =
      host.find(':') != std::string::npos && (host.front() != '[' || host.back() != ']');
  if (!host.empty() && !bare_ipv6 && port && *port >= 0 && *port <= 65535) return absl::OkStatus();
  return Refuse(
      value,
      fmt::format("{} is '{}' and must be host:port, for example 127.0.0.1:7878 or [::1]:7878",
                  name, value.text));
}

absl::Status CheckMeaning(const SettingTexts& values) {
  for (const char* name : {"grpc.listen", "http.listen"}) {
    if (absl::Status status = CheckListen(values.at(name), name); !status.ok()) return status;
  }
  const SourcedText& url = values.at("database.url");
  if (!url.text.empty()) {
    const auto parsed = storage::ParseConninfo(url.text);
    if (!parsed.ok()) return Refuse(url, std::string(parsed.status().message()));
  }
  const SourcedText& address = values.at("report.bot_address");
  const std::size_t at = address.text.find('@');
  if (at == 0 || at == std::string::npos || at + 1 == address.text.size() ||
      address.text.find_first_of(" \t\r\n<>") != std::string::npos) {
    return Refuse(address,
                  fmt::format("report.bot_address is '{}' and must be name@host", address.text));
  }
  const SourcedText& base = values.at("report.base_url");
  if (!base.text.empty() && base.text.rfind("http://", 0) != 0 &&
      base.text.rfind("https://", 0) != 0) {
    return Refuse(
        base,
        fmt::format("report.base_url is '{}' and must start with http:// or https://", base.text));
  }
  const SourcedText& data_dir = values.at("data_dir");
  if (url.text.empty() && data_dir.text.empty()) {
    return Refuse(data_dir,
                  "there is no home directory to keep data in; set data_dir or database.url");
  }
  return absl::OkStatus();
}

Config ToConfig(const SettingTexts& values) {
  const auto text = [&](const char* name) { return values.at(name).text; };
  const auto number = [&](const char* name) {
    return ParseInteger(values.at(name).text).value_or(0);
  };
  Config config;
  config.grpc_listen = text("grpc.listen");
  config.grpc_reflection = text("grpc.reflection") == "true";
  config.http_listen = text("http.listen");
  config.database_url = text("database.url");
  config.database_connections = static_cast<std::size_t>(number("database.connections"));
  config.data_dir = text("data_dir");
  config.postgres_bin_dir = text("postgres.bin_dir");
  config.postgres_user = text("postgres.user");
  config.ingest_committers = static_cast<int>(number("ingest.committers"));
  config.ingest_queue_size_bytes = static_cast<std::size_t>(number("ingest.queue_size_bytes"));
  config.detect_poll_interval = std::chrono::milliseconds(number("detect.poll_interval_ms"));
  config.report_bot_name = text("report.bot_name");
  config.report_bot_address = text("report.bot_address");
  config.report_base_url = text("report.base_url");
  while (!config.report_base_url.empty() && config.report_base_url.back() == '/')
    config.report_base_url.pop_back();
  config.log_level = text("log.level");
  config.log_format = text("log.format");
  config.drain_timeout = std::chrono::seconds(number("drain_timeout_s"));
  return config;
}

std::string Print(const SettingTexts& values) {
  std::string text;
  for (const Setting& setting : Settings()) {
    const SourcedText& value = values.at(std::string(setting.name));
    const bool hidden = setting.secret && !value.text.empty();
    text +=
        fmt::format("{} = {}  # {}\n", setting.name,
                    hidden ? "(hidden)"
                    : setting.type == SettingType::kInteger || setting.type == SettingType::kBool
                        ? value.text
                        : fmt::format("\"{}\"", value.text),
                    value.origin);
  }
  return text;
}

}  // namespace

absl::StatusOr<Invocation> ReadInvocation(std::span<const std::string> arguments,
                                          const Environment& environment, bool is_root) {
  absl::StatusOr<CommandLine> line = ReadCommandLine(arguments);
  if (!line.ok()) return line.status();
  Invocation invocation{.action = Invocation::Action::kPrint, .output = {}, .config = {}};
  if (line->help) invocation.output = HelpText();
  if (line->version) invocation.output = "regressd " REGRESSD_VERSION "\n";
  if (!invocation.output.empty()) return invocation;

  SettingTexts values = std::move(line->settings);  // merge() keeps what is there: strongest first.
  absl::StatusOr<SettingTexts> from_environment = ReadEnvironment(environment);
  if (!from_environment.ok()) return from_environment.status();
  values.merge(*from_environment);
  const auto config_variable = environment.find("REGRESSD_CONFIG");
  if (!line->config_file && config_variable != environment.end() &&
      !config_variable->second.empty()) {
    line->config_file = config_variable->second;
  }
  if (line->config_file) {
    absl::StatusOr<SettingTexts> from_file = ReadTomlFile(*line->config_file);
    if (!from_file.ok()) return from_file.status();
    values.merge(*from_file);
  }
  values.emplace("data_dir",
                 SourcedText{.text = DefaultDataDir(environment, is_root), .origin = "default"});
  for (const Setting& setting : Settings()) {
    const auto at =
        values
            .emplace(setting.name,
                     SourcedText{.text = std::string(setting.default_text), .origin = "default"})
            .first;
    if (absl::Status status = CheckType(setting, at->second); !status.ok()) return status;
  }
  if (absl::Status status = CheckMeaning(values); !status.ok()) return status;

  if (line->print_config) {
    invocation.output = Print(values);
    return invocation;
  }
  invocation.action = Invocation::Action::kServe;
  invocation.config = ToConfig(values);
  invocation.config.ports_file = line->ports_file;
  if (const auto path = environment.find("PATH"); path != environment.end()) {
    invocation.config.search_path = path->second;
  }
  return invocation;
}

bool IsReachableFromOutside(std::string_view listen) {
  const std::string_view host = listen.substr(0, listen.rfind(':'));
  return host != "localhost" && host != "[::1]" && host.substr(0, 4) != "127.";
}

}  // namespace regressd
