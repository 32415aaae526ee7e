#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "regressd/v1/run_service.pb.h"
#include "storage/commit_store.h"
#include "storage/run_store.h"

namespace regressd::query {

/// What a ReadSamplesRequest asks for, checked.
struct SampleQuery {
  std::vector<std::string> metrics;
  storage::TimeRange range;
};

/// Errors: InvalidArgument; NotFound when `commits` does not know the commit of the filter.
absl::StatusOr<storage::RunFilter> FromProto(const v1::ListRunsRequest& request,
                                             storage::CommitStore& commits);
absl::StatusOr<SampleQuery> FromProto(const v1::ReadSamplesRequest& request);
absl::StatusOr<storage::TimeRange> FromProto(const v1::ReadStacksRequest& request);

/// The id of the commit that a filter names. Errors: InvalidArgument with the store's message when it
/// names several, or a branch; NotFound with near names, and what else the store says.
absl::StatusOr<std::string> ResolveFilter(storage::CommitStore& commits, const std::string& name,
                                          std::string_view field);

}  // namespace regressd::query
