#include "storage/transaction.h"

#include <exception>
#include <new>
#include <stdexcept>

#include "storage/sql_status.h"

namespace regressd::storage {
namespace {

std::string Trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

// The start of the statement, on one line: enough to find it.
std::string Excerpt(const std::string& query) {
  constexpr std::size_t kMaxLength = 160;
  std::string line;
  for (const char c : query) {
    const bool space = c == '\n' || c == ' ' || c == '\t';
    if (!space) line += c;
    if (space && !line.empty() && line.back() != ' ') line += ' ';
    if (line.size() >= kMaxLength) return line + "...";
  }
  return line;
}

}  // namespace

absl::Status StatusFromException(bool connection_open) {
  try {
    throw;
  } catch (const pqxx::in_doubt_error& e) {
    // Perhaps committed. Retrying is safe only because every write is keyed to happen once.
    return absl::UnavailableError(fmt::format("commit in doubt: {}", Trimmed(e.what())));
  } catch (const pqxx::broken_connection& e) {
    return absl::UnavailableError(fmt::format("database unreachable: {}", Trimmed(e.what())));
  } catch (const pqxx::sql_error& e) {
    // A connection that breaks under a statement is reported as a statement that failed.
    if (!connection_open) {
      return absl::UnavailableError(fmt::format("database connection lost: {}", Trimmed(e.what())));
    }
    return StatusFromSqlState(e.sqlstate(),
                              fmt::format("{} in: {}", Trimmed(e.what()), Excerpt(e.query())));
  } catch (const std::invalid_argument& e) {
    return absl::InvalidArgumentError(e.what());
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("out of memory for a database result");
  } catch (const std::exception& e) {
    if (!connection_open) {
      return absl::UnavailableError(fmt::format("database connection lost: {}", Trimmed(e.what())));
    }
    return absl::InternalError(Trimmed(e.what()));
  }
}

}  // namespace regressd::storage
