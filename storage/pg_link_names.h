#pragma once

#include <cstdint>

#include "storage/pqxx_compat.h"

namespace regressd::storage {

/// Moves everything of a commit that is known by a name alone (first digits, describe, tag) to the
/// commit with the full sha, where exactly one has that name: runs, groups, what is due,
/// regressions, patches on it, children. A regression that another one already tells of is
/// retracted. The caller holds kCommitParentsLock. Returns how many names were linked. Throws what
/// pqxx_compat.h throws.
std::int32_t LinkNames(pqxx::transaction_base& transaction);

}  // namespace regressd::storage
