#pragma once

#include <string_view>

#include "storage/ingest_store.h"

namespace regressd::storage {

/// What stands before and after the tuples of one COPY ... FROM STDIN (FORMAT binary).
/// https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format".
std::string_view CopyHeader();
std::string_view CopyTrailer();

/// The table and its columns that the tuples of a batch of this kind are for:
/// "sample_row (run_id, ...)". Empty for kGap, which is no COPY.
std::string_view CopyTarget(EncodedBatch::Kind kind);

}  // namespace regressd::storage
