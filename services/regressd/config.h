#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "services/regressd/config_sources.h"

namespace regressd {

/// Everything that an operator chose, checked. Read once, at the start.
struct Config {
  std::string grpc_listen;
  bool grpc_reflection = true;
  std::string http_listen;
  std::string database_url;  ///< Empty: the private PostgreSQL.
  std::size_t database_connections = 0;
  std::filesystem::path data_dir;
  std::filesystem::path postgres_bin_dir;
  std::string postgres_user;
  std::string search_path;  ///< PATH.
  int ingest_committers = 0;
  std::size_t ingest_queue_size_bytes = 0;
  std::chrono::milliseconds detect_poll_interval{};
  std::string report_bot_name;
  std::string report_bot_address;
  std::string
      report_base_url;  ///< Without a slash at the end; empty: derive it from the HTTP port.
  std::string log_level;
  std::string log_format;
  std::chrono::seconds drain_timeout{};
  std::optional<std::string> ports_file;
};

/// What to do, as the command line has it.
struct Invocation {
  enum class Action { kServe, kPrint };
  Action action = Action::kServe;
  std::string output;  ///< Of kPrint.
  Config config;       ///< Of kServe.
};

/// Reads flags, environment and file, in this order of precedence, and checks all of it.
/// Errors: InvalidArgument, saying what, where and what to do.
absl::StatusOr<Invocation> ReadInvocation(std::span<const std::string> arguments,
                                          const std::map<std::string, std::string>& environment,
                                          bool is_root);

/// Whether "host:port" can be reached from other machines. Pure; a name other than localhost counts
/// as reachable.
bool IsReachableFromOutside(std::string_view listen);

}  // namespace regressd
