#include "storage/libpq_connection.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "storage/conninfo.h"
#include "storage/sql_status.h"

namespace regressd::storage {
namespace {

constexpr int kTextFormat = 0;
constexpr int kBinaryFormat = 1;
// libpq's buffer holds what is not sent yet: wait for the server before it grows without bound.
constexpr std::size_t kFlushBytes = 256 * 1024;

// On one line.
std::string Trimmed(const char* message) {
  std::string text = message == nullptr ? "" : message;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return text;
}

}  // namespace

std::int64_t PgRows::Int(int row, int column) const {
  const std::string_view text = Bytes(row, column);
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

absl::StatusOr<std::unique_ptr<LibpqConnection>> LibpqConnection::Connect(const Options& options) {
  const absl::StatusOr<std::string> conninfo = WithDefaults(options.conninfo);
  if (!conninfo.ok()) return conninfo.status();
  std::unique_ptr<LibpqConnection> connection(
      new LibpqConnection(PQconnectdb(conninfo->c_str()), options.response_timeout));
  PGconn* raw = connection->connection_.get();
  if (PQstatus(raw) != CONNECTION_OK || PQsetnonblocking(raw, 1) != 0) {
    return absl::UnavailableError(fmt::format("cannot connect to {}: {}",
                                              DescribeConninfo(options.conninfo),
                                              Trimmed(PQerrorMessage(raw))));
  }
  // Notices say what our own statements expect, such as a partition that exists.
  PQsetNoticeProcessor(
      raw, [](void*, const char*) {}, nullptr);
  return connection;
}

bool LibpqConnection::WaitForSocket(short events, Deadline deadline) {
  pollfd entry = {PQsocket(connection_.get()), events, 0};
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0 || entry.fd < 0) return false;
    const int ready = poll(&entry, 1, static_cast<int>(left.count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

bool LibpqConnection::Flush(Deadline deadline) {
  PGconn* raw = connection_.get();
  while (true) {
    const int left = PQflush(raw);
    if (left == 0) return true;
    // The server may have to get rid of its own output before it reads ours.
    if (left < 0 || !WaitForSocket(POLLIN | POLLOUT, deadline)) return false;
    if (PQconsumeInput(raw) == 0) return false;
  }
}

std::optional<LibpqConnection::Result> LibpqConnection::NextResult() {
  PGconn* raw = connection_.get();
  const Deadline deadline = std::chrono::steady_clock::now() + response_timeout_;
  if (!Flush(deadline)) return std::nullopt;
  while (PQisBusy(raw) != 0) {
    if (!WaitForSocket(POLLIN, deadline) || PQconsumeInput(raw) == 0) return std::nullopt;
  }
  return Result(PQgetResult(raw), &PQclear);
}

bool LibpqConnection::SendCopy(const std::vector<std::string_view>& pieces) {
  PGconn* raw = connection_.get();
  std::size_t unflushed = 0;
  for (const std::string_view piece : pieces) {
    if (PQputCopyData(raw, piece.data(), static_cast<int>(piece.size())) != 1) return false;
    unflushed += piece.size();
    if (unflushed < kFlushBytes) continue;
    if (!Flush(std::chrono::steady_clock::now() + response_timeout_)) return false;
    unflushed = 0;
  }
  return PQputCopyEnd(raw, nullptr) == 1;
}

SqlError LibpqConnection::ErrorOf(const PGresult* result) const {
  const char* sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  std::string message = Trimmed(PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
  if (message.empty()) message = Trimmed(PQresultErrorMessage(result));
  if (const char* detail = PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL)) {
    message += fmt::format(" ({})", detail);
  }
  return {sqlstate == nullptr ? "" : sqlstate, message};
}

SqlError LibpqConnection::Lost() {
  broken_ = true;
  std::string message = Trimmed(PQerrorMessage(connection_.get()));
  if (message.empty()) message = "no answer in time";
  return {"", message};
}

std::optional<SqlError> LibpqConnection::RunScript(
    const std::string& sql, std::span<const std::vector<std::string_view>> copies) {
  if (broken()) return Lost();
  if (PQsendQuery(connection_.get(), sql.c_str()) != 1) return Lost();
  std::optional<SqlError> error;
  std::size_t next_copy = 0;
  while (true) {
    const std::optional<Result> result = NextResult();
    if (!result) return Lost();
    if (*result == nullptr) break;
    switch (PQresultStatus(result->get())) {
      case PGRES_COPY_IN:
        if (next_copy == copies.size() || !SendCopy(copies[next_copy++])) return Lost();
        break;
      case PGRES_COMMAND_OK:
      case PGRES_TUPLES_OK:
        // COMMIT of a failed transaction succeeds as ROLLBACK.
        if (sql == "COMMIT" && std::string_view(PQcmdStatus(result->get())) == "ROLLBACK") {
          error = SqlError{"25P02", "the transaction was rolled back"};
        }
        break;
      default:
        if (!error) error = ErrorOf(result->get());
    }
  }
  if (error && broken()) return Lost();
  return error;
}

bool LibpqConnection::SendQuery(const std::string& sql, Params params, int result_format) {
  std::vector<const char*> values;
  for (const auto& param : params) values.push_back(param ? param->c_str() : nullptr);
  return PQsendQueryParams(connection_.get(), sql.c_str(), static_cast<int>(values.size()), nullptr,
                           values.data(), nullptr, nullptr, result_format) == 1;
}

void LibpqConnection::Drain() {
  while (true) {
    const std::optional<Result> result = NextResult();
    if (!result) broken_ = true;
    if (!result || *result == nullptr) return;
  }
}

absl::StatusOr<PgRows> LibpqConnection::Query(const std::string& sql, Params params) {
  if (broken() || !SendQuery(sql, params, kTextFormat)) return ToStatus(Lost());
  std::optional<Result> result = NextResult();
  if (!result || *result == nullptr) return ToStatus(Lost());
  const ExecStatusType status = PQresultStatus(result->get());
  Drain();
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return PgRows(result->release());
  if (broken()) return ToStatus(Lost());
  return ToStatus(ErrorOf(result->get()));
}

absl::Status LibpqConnection::Stream(const std::string& sql, Params params,
                                     const std::function<absl::Status(const PgRows&)>& take) {
  if (broken() || !SendQuery(sql, params, kBinaryFormat)) return ToStatus(Lost());
  PQsetSingleRowMode(connection_.get());
  absl::Status outcome;
  while (true) {
    std::optional<Result> result = NextResult();
    if (!result) return ToStatus(Lost());
    if (*result == nullptr) return outcome;
    const ExecStatusType status = PQresultStatus(result->get());
    if (status == PGRES_SINGLE_TUPLE) {
      if (outcome.ok()) outcome = take(PgRows(result->release()));
    } else if (status != PGRES_TUPLES_OK && outcome.ok()) {
      outcome = broken() ? ToStatus(Lost()) : ToStatus(ErrorOf(result->get()));
    }
  }
}

absl::StatusOr<std::string> LibpqConnection::Quote(std::string_view text) {
  const std::unique_ptr<char, decltype(&PQfreemem)> quoted(
      PQescapeLiteral(connection_.get(), text.data(), text.size()), &PQfreemem);
  if (quoted == nullptr) {
    return absl::InvalidArgumentError(Trimmed(PQerrorMessage(connection_.get())));
  }
  return std::string(quoted.get());
}

absl::Status ToStatus(const SqlError& error) {
  if (error.sqlstate.empty()) {
    return absl::UnavailableError(fmt::format("database connection lost: {}", error.message));
  }
  const std::string message = fmt::format("{} (SQLSTATE {})", error.message, error.sqlstate);
  absl::Status status = StatusFromSqlState(error.sqlstate, message);
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kResourceExhausted:
      return status;
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kDeadlineExceeded:
      return absl::UnavailableError(message);
    default:
      return absl::InternalError(message);
  }
}

}  // namespace regressd::storage
