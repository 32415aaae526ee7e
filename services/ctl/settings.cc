#include "services/ctl/settings.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "services/common/server_address.h"

namespace regressd::ctl {
namespace {

constexpr const char* kDefaultAddress = "127.0.0.1:7878";

std::string Variable(const std::map<std::string, std::string>& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

std::filesystem::path ConfigFile(const std::map<std::string, std::string>& environment) {
  if (const std::string xdg = Variable(environment, "XDG_CONFIG_HOME"); !xdg.empty()) {
    return std::filesystem::path(xdg) / "regressctl.toml";
  }
  const std::string home = Variable(environment, "HOME");
  return home.empty() ? std::filesystem::path()
                      : std::filesystem::path(home) / ".config" / "regressctl.toml";
}

// Empty when the file does not say it.
absl::StatusOr<std::string> ServerOfFile(const std::filesystem::path& file) try {
  std::ifstream stream(file);
  if (!stream) return std::string();
  std::ostringstream text;
  text << stream.rdbuf();
  const toml::table table = toml::parse(text.str(), file.string());
  std::string server;
  for (const auto& [key, value] : table) {
    const std::string name(key.str());
    const auto line = value.source().begin.line;
    if (name != "server") {
      return absl::InvalidArgumentError(fmt::format(
          "{}:{}: unknown key \"{}\"; the one key is \"server\"", file.string(), line, name));
    }
    const std::optional<std::string> address = value.value_exact<std::string>();
    if (!address || address->empty()) {
      return absl::InvalidArgumentError(
          fmt::format("{}:{}: \"server\" must be an address in quotes, as in server = \"{}\"",
                      file.string(), line, kDefaultAddress));
    }
    server = *address;
  }
  return server;
} catch (const toml::parse_error& e) {
  return absl::InvalidArgumentError(fmt::format("{}:{}: {}; write server = \"{}\"", file.string(),
                                                e.source().begin.line, e.description(),
                                                kDefaultAddress));
}

absl::StatusOr<ServerAddress> Checked(ServerAddress server) {
  const absl::Status status = common::CheckServerAddress(server.address);
  if (status.ok()) return server;
  return absl::InvalidArgumentError(
      fmt::format("{} (from {})", std::string(status.message()), server.origin));
}

}  // namespace

absl::StatusOr<ServerAddress> FindServer(const std::optional<std::string>& flag,
                                         const std::map<std::string, std::string>& environment) {
  if (flag) return Checked({.address = *flag, .origin = "--server"});
  if (const std::string server = Variable(environment, "REGRESSD_SERVER"); !server.empty()) {
    return Checked({.address = server, .origin = "REGRESSD_SERVER"});
  }
  const std::filesystem::path file = ConfigFile(environment);
  if (!file.empty()) {
    const absl::StatusOr<std::string> server = ServerOfFile(file);
    if (!server.ok()) return server.status();
    if (!server->empty()) return Checked({.address = *server, .origin = file.string()});
  }
  return ServerAddress{.address = kDefaultAddress, .origin = "default"};
}

}  // namespace regressd::ctl
