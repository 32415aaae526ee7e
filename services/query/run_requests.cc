#include "services/query/run_requests.h"

#include <utility>

#include "services/common/convert.h"
#include "services/common/field_checks.h"

namespace regressd::query {
namespace {

constexpr int kMaxSampleMetrics = 100;
constexpr std::size_t kMaxNameBytes = 2048;

template <typename Request>
absl::StatusOr<storage::TimeRange> RangeOf(const Request& request) {
  storage::TimeRange range;
  if (request.has_begin_time()) {
    const auto begin = common::FromProto(request.begin_time(), "begin_time");
    if (!begin.ok()) return begin.status();
    range.begin = *begin;
  }
  if (request.has_end_time()) {
    const auto end = common::FromProto(request.end_time(), "end_time");
    if (!end.ok()) return end.status();
    range.end = *end;
  }
  return range;
}

}  // namespace

absl::StatusOr<std::string> ResolveFilter(storage::CommitStore& commits, const std::string& name,
                                          std::string_view field) {
  absl::StatusOr<model::Commit> commit = commits.Resolve(name);
  if (commit.ok()) return commit->commit_id;
  if (absl::IsInvalidArgument(commit.status())) {
    return common::InvalidField(
        field, "names no single commit: " + std::string(commit.status().message()));
  }
  return commit.status();
}

absl::StatusOr<storage::RunFilter> FromProto(const v1::ListRunsRequest& request,
                                             storage::CommitStore& commits) {
  common::FieldChecks checks("");
  storage::RunFilter filter;
  auto axes = common::FromProto(request.axes(), "axes");
  checks.Merge("axes", axes.status());
  if (axes.ok()) filter.axes = *std::move(axes);
  checks.Line("commit", request.commit(), kMaxNameBytes);
  checks.Line("testbox", request.testbox(), kMaxNameBytes);
  if (!request.testbox().empty()) filter.testbox = request.testbox();
  if (request.state() != v1::RUN_STATE_UNSPECIFIED) {
    const auto state = common::FromProto(request.state(), "state");
    checks.Merge("state", state.status());
    if (state.ok()) filter.state = *state;
  }
  if (!checks.ok()) return checks.status();
  if (!request.commit().empty()) {
    auto commit_id = ResolveFilter(commits, request.commit(), "commit");
    if (!commit_id.ok()) return commit_id.status();
    filter.commit_id = *std::move(commit_id);
  }
  return filter;
}

absl::StatusOr<SampleQuery> FromProto(const v1::ReadSamplesRequest& request) {
  common::FieldChecks checks("");
  if (request.metrics().empty()) checks.Fail("metrics", "is empty; name 1 to 100 metrics");
  checks.Count("metrics", request.metrics_size(), kMaxSampleMetrics);
  for (int i = 0; i < request.metrics_size() && checks.ok(); ++i) {
    checks.Name(common::IndexPath("metrics", i), request.metrics(i), kMaxNameBytes);
  }
  if (!checks.ok()) return checks.status();
  auto range = RangeOf(request);
  if (!range.ok()) return range.status();
  return SampleQuery{{request.metrics().begin(), request.metrics().end()}, *range};
}

absl::StatusOr<storage::TimeRange> FromProto(const v1::ReadStacksRequest& request) {
  return RangeOf(request);
}

}  // namespace regressd::query
