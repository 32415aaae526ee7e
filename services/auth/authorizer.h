#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace regressd::auth {

/// What a caller may do.
enum class Right {
  kIngest,  ///< Send runs.
  kRead,    ///< Read everything.
  kCurate,  ///< Exclude runs, add commits, set states of regressions.
};

/// "ingest", "read", "curate".
std::string_view ToString(Right right);

/// The right that a method needs: an rpc's "/regressd.v1.RunService/ListRuns", or a page's
/// "/page/regressions",
/// "/page/regression", "/page/compare", "/page/runs", "/page/run". The one table for every rpc and
/// page; unset for a method that is not in it, which nobody may call.
std::optional<Right> RightFor(std::string_view method);

/// Who calls; goes into created_by.
struct Caller {
  std::string name;
};

/// What a caller showed of itself.
struct Credentials {
  std::optional<std::string> bearer_token;
  std::string peer;  ///< "ipv4:127.0.0.1:4711".
};

/// Decides who may call what. Thread-safe.
class Authorizer {
 public:
  virtual ~Authorizer() = default;

  /// Errors: Unauthenticated when nothing says who calls; PermissionDenied, naming the method and
  /// the right.
  virtual absl::StatusOr<Caller> Authorize(std::string_view method,
                                           const Credentials& credentials) const = 0;
};

/// Without tokens, on loopback: everybody is "local" and may do everything that is in the table.
class LocalAuthorizer : public Authorizer {
 public:
  absl::StatusOr<Caller> Authorize(std::string_view method,
                                   const Credentials& credentials) const override;
};

}  // namespace regressd::auth
