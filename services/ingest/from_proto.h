#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "regressd/v1/ingest_service.pb.h"
#include "services/model/run.h"
#include "storage/ingest_store.h"

namespace regressd::ingest {

/// Checks what an agent sent against what it declared, whole, before anything is touched. Pure.
/// Errors: InvalidArgument naming the field, what is wrong and what to do.

absl::StatusOr<storage::SampleBatch> FromProto(const v1::Batch& batch, const model::Source& source);

/// A batch that has a block, which the result views.
absl::StatusOr<storage::SampleBlock> BlockFromProto(const v1::Batch& batch,
                                                    const model::Source& source);

/// `dictionary` has the hashes of the stream's stacks by their number.
absl::StatusOr<storage::StackCounts> FromProto(const v1::StackBatch& batch,
                                               std::span<const std::int64_t> dictionary);

absl::StatusOr<storage::Observations> FromProto(const v1::ObservationBatch& batch,
                                                const model::Source& source);

/// The stacks to add behind the `known_count` that the stream has sent.
absl::StatusOr<std::vector<std::string>> FromProto(const v1::StackDictionary& stacks,
                                                   std::size_t known_count);

absl::Status CheckReason(const v1::Gap& gap);

/// The numbers that a message takes in its source's order.
struct SeqRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};
/// Errors: when `first` or `count` is below 1 or too large; they name the fields.
absl::StatusOr<SeqRange> CheckSeqRange(std::string_view first_field, std::int64_t first,
                                       std::string_view count_field, std::int64_t count);

}  // namespace regressd::ingest
