#include "services/ctl/commit_client.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <utility>

#include "regressd/v1/commit_service.grpc.pb.h"
#include "services/common/convert.h"

namespace regressd::ctl {
namespace {

constexpr std::int32_t kPageSize = 1000;

}  // namespace

absl::StatusOr<AddedCommits> CommitClient::Add(std::span<const model::Commit> commits) const {
  const auto stub = v1::CommitService::NewStub(connection_.channel());
  grpc::ClientContext context;
  connection_.StartCall(&context);
  v1::AddCommitsRequest request;
  for (const model::Commit& commit : commits) common::ToProto(commit, request.add_commits());
  v1::AddCommitsResponse response;
  const grpc::Status status = stub->AddCommits(&context, request, &response);
  if (!status.ok()) return connection_.ToStatus(status);
  return AddedCommits{.added = response.added_count(),
                      .completed = response.completed_count(),
                      .unchanged = response.unchanged_count(),
                      .linked = response.linked_count()};
}

absl::StatusOr<std::vector<CommitEntry>> CommitClient::List(const std::string& branch,
                                                            bool with_runs_only,
                                                            std::int32_t limit) const {
  const auto stub = v1::CommitService::NewStub(connection_.channel());
  v1::ListCommitsRequest request;
  request.set_branch(branch);
  request.set_with_runs_only(with_runs_only);
  request.set_page_size(std::min(limit, kPageSize));
  std::vector<CommitEntry> entries;
  std::int32_t count = 0;
  while (true) {
    grpc::ClientContext context;
    connection_.StartCall(&context);
    v1::ListCommitsResponse response;
    const grpc::Status status = stub->ListCommits(&context, request, &response);
    if (!status.ok()) return connection_.ToStatus(status);
    for (const v1::CommitEntry& entry : response.commits()) {
      absl::StatusOr<model::Commit> commit = common::FromProto(entry.commit());
      if (commit.ok()) {
        entries.push_back({.commit = *std::move(commit), .run_count = entry.run_count()});
      } else {
        skipped_("commit " + entry.commit().commit_id(), commit.status());
      }
      if (++count == limit) return entries;
    }
    for (const v1::Unreadable& row : response.unreadable()) {
      skipped_(row.name(), absl::InternalError(row.reason()));
      if (++count == limit) return entries;
    }
    if (response.next_page_token().empty()) return entries;
    request.set_page_token(response.next_page_token());
  }
}

}  // namespace regressd::ctl
