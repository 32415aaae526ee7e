#pragma once

#include <libpq-fe.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace regressd::storage {

/// Why a statement failed; `sqlstate` is empty when the connection was lost or did not answer in
/// time.
struct SqlError {
  std::string sqlstate;
  std::string message;
};

/// The result of one statement, in text form unless it was asked for in binary.
class PgRows {
 public:
  explicit PgRows(PGresult* result) : result_(result, &PQclear) {}

  int size() const { return PQntuples(result_.get()); }
  bool empty() const { return size() == 0; }
  bool IsNull(int row, int column) const { return PQgetisnull(result_.get(), row, column) != 0; }
  /// Empty for NULL.
  std::string_view Bytes(int row, int column) const {
    return {PQgetvalue(result_.get(), row, column),
            static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
  }
  std::string Text(int row, int column) const { return std::string(Bytes(row, column)); }
  /// A column of an integer type in text form.
  std::int64_t Int(int row, int column) const;

 private:
  std::unique_ptr<PGresult, decltype(&PQclear)> result_;
};

/// A connection for what libpqxx 6 cannot do: COPY BINARY within a string of statements, and waits
/// with a deadline of our own. Keeps no session state. One thread at a time.
///
/// A method that returns an error without SQLSTATE leaves the connection broken: make another.
class LibpqConnection {
 public:
  struct Options {
    std::string conninfo;  ///< URL or key=value; WithDefaults is applied.
    /// Longest wait for the server's next answer: for one that is frozen or cut off, so longer than
    /// its own timeouts.
    std::chrono::milliseconds response_timeout{60'000};
  };
  using Params = std::span<const std::optional<std::string>>;

  /// Errors: Unavailable; InvalidArgument when the connection string cannot be read.
  static absl::StatusOr<std::unique_ptr<LibpqConnection>> Connect(const Options& options);

  /// Runs statements separated by semicolons as one simple query: outside a transaction block, one
  /// implicit transaction. `copies` holds, for each COPY ... FROM STDIN in order, the pieces to
  /// send.
  std::optional<SqlError> RunScript(const std::string& sql,
                                    std::span<const std::vector<std::string_view>> copies = {});

  /// Runs one statement, unnamed.
  absl::StatusOr<PgRows> Query(const std::string& sql, Params params);

  /// Runs one statement and hands out its rows in binary form, one at a time; memory does not grow
  /// with their number. Stops reading, not the statement, with the first error of `take`.
  absl::Status Stream(const std::string& sql, Params params,
                      const std::function<absl::Status(const PgRows&)>& take);

  /// `text` as an SQL literal with its quotes. Errors: InvalidArgument when it is not UTF-8.
  absl::StatusOr<std::string> Quote(std::string_view text);

  void set_response_timeout(std::chrono::milliseconds timeout) { response_timeout_ = timeout; }

  bool broken() const { return broken_ || PQstatus(connection_.get()) != CONNECTION_OK; }
  /// The server process, for operators and tests.
  int backend_pid() const { return PQbackendPID(connection_.get()); }

 private:
  using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;
  using Deadline = std::chrono::steady_clock::time_point;

  LibpqConnection(PGconn* connection, std::chrono::milliseconds response_timeout)
      : connection_(connection, &PQfinish), response_timeout_(response_timeout) {}

  bool WaitForSocket(short events, Deadline deadline);
  bool Flush(Deadline deadline);
  /// The next result; a null pointer after the last. Unset when the server did not answer.
  std::optional<Result> NextResult();
  bool SendCopy(const std::vector<std::string_view>& pieces);
  bool SendQuery(const std::string& sql, Params params, int result_format);
  void Drain();
  SqlError ErrorOf(const PGresult* result) const;
  SqlError Lost();

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
  std::chrono::milliseconds response_timeout_;
  bool broken_ = false;
};

/// The status of a failed statement by the contract of IngestStore: Unavailable when the same
/// statement may succeed later, ResourceExhausted when the server has no room, InvalidArgument when
/// its data is refused, Internal otherwise.
absl::Status ToStatus(const SqlError& error);

/// Runs `work()` between BEGIN and COMMIT; rolls back when it returns an error, or throws
/// std::invalid_argument because a parameter cannot be sent: InvalidArgument.
template <typename Work>
auto InTransaction(LibpqConnection& connection, const std::string& settings, Work&& work)
    -> decltype(work()) {
  using Returned = decltype(work());
  if (const auto error = connection.RunScript("BEGIN; " + settings)) return ToStatus(*error);
  Returned result = [&]() -> Returned {
    try {
      return work();
    } catch (const std::invalid_argument& e) {
      return absl::InvalidArgumentError(e.what());
    }
  }();
  const auto error = connection.RunScript(result.ok() ? "COMMIT" : "ROLLBACK");
  if (result.ok() && error) return ToStatus(*error);
  return result;
}

}  // namespace regressd::storage
