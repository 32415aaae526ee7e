#pragma once

#include <optional>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "services/agent/readers/result_reader.h"
#include "services/model/time.h"

namespace regressd::agent {

/// Gives `reader` the text of the files at `paths`, in this order; ".gz" and ".xz" are unpacked,
/// "-" is stdin. A directory stands for those files in it, however deep, that the reader reads, in
/// the order of their names with the numbers in them by value, so that iter-2 comes before iter-10.
///
/// Returns when the last of them was written, nullopt when that is not known. Errors: NotFound;
/// InvalidArgument for what the reader cannot read; FailedPrecondition for a file that was written
/// before `not_before`: one of an earlier run; DataLoss for a damaged archive; Cancelled when
/// `interrupt_fd` became readable.
absl::StatusOr<std::optional<model::Time>> ReadResultFiles(std::span<const std::string> paths,
                                                           std::optional<model::Time> not_before,
                                                           ResultReader* reader,
                                                           int interrupt_fd = -1);

/// Whether `left` comes before `right` when numbers in them count by their value.
bool InNaturalOrder(std::string_view left, std::string_view right);

}  // namespace regressd::agent
