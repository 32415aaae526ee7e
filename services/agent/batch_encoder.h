#pragma once

#include <cstdint>
#include <span>

#include "regressd/v1/ingest_service.pb.h"
#include "services/agent/sample_sink.h"

namespace regressd::agent {

/// Rows of one source as one Batch that begins with sample number `first_seq`. The rows may grow in
/// length: shorter ones end in missing values. Pure.
v1::Batch EncodeRows(std::int32_t source_id, std::int64_t first_seq, std::span<const Row> rows);

}  // namespace regressd::agent
