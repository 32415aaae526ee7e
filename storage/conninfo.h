#pragma once

#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace regressd::storage {

/// A libpq connection string (URL or key=value form) as keyword -> value.
/// Errors: InvalidArgument, without the password, when libpq cannot read it.
absl::StatusOr<std::map<std::string, std::string>> ParseConninfo(std::string_view text);

/// The key=value form, quoted.
std::string FormatConninfo(const std::map<std::string, std::string>& keywords);

/// `text` with what every connection of ours has unless it says otherwise: UTF-8, a connect
/// timeout, and timeouts that notice a dead network. All are start-up parameters that a pooler in
/// transaction mode accepts. Errors: as ParseConninfo.
absl::StatusOr<std::string> WithDefaults(std::string_view text);

/// Where it leads, for messages and logs: "user@host:port/dbname", never a password.
std::string DescribeConninfo(std::string_view text);

}  // namespace regressd::storage
