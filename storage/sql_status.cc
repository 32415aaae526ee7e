#include "storage/sql_status.h"

#include <algorithm>
#include <array>

namespace regressd::storage {
namespace {

struct Rule {
  std::string_view prefix;  // A whole SQLSTATE or its class; the first that fits decides.
  absl::StatusCode code;
};

// https://www.postgresql.org/docs/current/errcodes-appendix.html
constexpr std::array kRules = {
    Rule{"08", absl::StatusCode::kUnavailable},            // connection exceptions
    Rule{"22", absl::StatusCode::kInvalidArgument},        // data exceptions
    Rule{"23502", absl::StatusCode::kInvalidArgument},     // not_null_violation
    Rule{"23514", absl::StatusCode::kInvalidArgument},     // check_violation
    Rule{"23505", absl::StatusCode::kAlreadyExists},       // unique_violation
    Rule{"23503", absl::StatusCode::kFailedPrecondition},  // foreign_key_violation
    Rule{"25006", absl::StatusCode::kUnavailable},    // read_only_sql_transaction: after a failover
    Rule{"28", absl::StatusCode::kPermissionDenied},  // invalid authorization
    Rule{"40", absl::StatusCode::kAborted},           // rollback: deadlock, serialisation
    Rule{"42501", absl::StatusCode::kPermissionDenied},  // insufficient_privilege
    Rule{"53300", absl::StatusCode::kUnavailable},       // too_many_connections
    Rule{"53", absl::StatusCode::kResourceExhausted},    // disk_full, out_of_memory
    Rule{"55P03", absl::StatusCode::kAborted},           // lock_not_available
    Rule{"57014", absl::StatusCode::kDeadlineExceeded},  // query_canceled
    Rule{"57P", absl::StatusCode::kUnavailable},         // shutdown, crash, cannot connect now
};

}  // namespace

absl::Status StatusFromSqlState(std::string_view sqlstate, std::string message) {
  const auto* rule = std::find_if(kRules.begin(), kRules.end(), [&](const Rule& r) {
    return sqlstate.substr(0, r.prefix.size()) == r.prefix;
  });
  return {rule == kRules.end() ? absl::StatusCode::kInternal : rule->code, message};
}

}  // namespace regressd::storage
