#pragma once

#include <utility>

#include "absl/status/status.h"
#include "storage/pqxx_compat.h"

namespace regressd::storage {

/// The status of the exception that is being handled. The one place where libpqxx exceptions become
/// statuses: a broken connection or a commit in doubt is Unavailable, an SQL error goes by its
/// SQLSTATE (sql_status.h), a value that cannot be sent or read is InvalidArgument.
/// `connection_open` tells a refused statement from a lost server.
absl::Status StatusFromException(bool connection_open);

/// Runs `work(transaction)` in a transaction: commits when it returns OK, rolls back otherwise.
/// `work` returns an absl::Status or absl::StatusOr and may throw what libpqxx throws. After
/// Unavailable the commit may have happened: trying again is safe only for writes that are keyed to
/// happen once.
template <typename Transaction = pqxx::work, typename Work>
auto InTransaction(pqxx::connection& connection, Work&& work)
    -> decltype(work(std::declval<Transaction&>())) try {
  Transaction transaction{connection};
  auto result = work(transaction);
  if (result.ok()) transaction.commit();  // Otherwise the destructor rolls back.
  return result;
} catch (...) {
  return StatusFromException(connection.is_open());
}

}  // namespace regressd::storage
