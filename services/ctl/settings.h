#pragma once

#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace regressd::ctl {

/// Where regressd is, and who said so.
struct ServerAddress {
  std::string address;  ///< "127.0.0.1:7878".
  std::string
      origin;  ///< "--server", "REGRESSD_SERVER", "/home/u/.config/regressctl.toml", "default".
};

/// Finds the server's address: `flag`, then REGRESSD_SERVER, then the key `server` of
/// $XDG_CONFIG_HOME/regressctl.toml (~/.config without XDG_CONFIG_HOME), then 127.0.0.1:7878.
/// `environment` holds the variables. Reads the file.
/// Errors: InvalidArgument for what is no address, and for a file that is no TOML, has another key
/// or another type, with its place.
absl::StatusOr<ServerAddress> FindServer(const std::optional<std::string>& flag,
                                         const std::map<std::string, std::string>& environment);

}  // namespace regressd::ctl
