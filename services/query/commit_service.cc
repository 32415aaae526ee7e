#include "services/query/commit_service.h"

#include <utility>
#include <vector>

#include "services/common/convert.h"
#include "services/common/field_checks.h"
#include "services/query/fill_list.h"
#include "services/query/handle.h"
#include "services/query/paging.h"

namespace regressd::query {
namespace {

constexpr int kMaxCommits = 1000;
constexpr std::size_t kMaxNameBytes = 2048;
constexpr PageLimits kPages{.default_size = 100, .max_size = 1000};

absl::StatusOr<std::vector<model::Commit>> FromProto(const v1::AddCommitsRequest& request) {
  common::FieldChecks checks("");
  if (request.commits().empty()) checks.Fail("commits", "is empty; add 1 to 1000");
  checks.Count("commits", request.commits_size(), kMaxCommits);
  std::vector<model::Commit> commits;
  for (int i = 0; i < request.commits_size() && checks.ok(); ++i) {
    const std::string field = common::IndexPath("commits", i);
    auto commit = common::FromProto(request.commits(i), field);
    checks.Merge(field, commit.status());
    if (commit.ok()) commits.push_back(*std::move(commit));
  }
  if (!checks.ok()) return checks.status();
  return commits;
}

absl::StatusOr<std::optional<storage::CommitPosition>> PositionOf(const Page& page) {
  if (page.position.empty()) return std::optional<storage::CommitPosition>();
  const auto micros = PositionNumber(page.position[0]);
  if (!micros.ok()) return micros.status();
  return storage::CommitPosition{model::Time(std::chrono::microseconds(*micros)), page.position[1]};
}

void Fill(const Page& page, const std::vector<storage::ListedCommit>& entries,
          v1::ListCommitsResponse* out) {
  const auto encode = [](const storage::CommitEntry& entry, v1::CommitEntry* message) {
    common::ToProto(entry.commit, message->mutable_commit());
    message->set_run_count(entry.run_count);
  };
  const auto last =
      FillList(page, entries, encode, out->mutable_commits(), out->mutable_unreadable());
  if (!last) return;
  const storage::CommitPosition& position = entries[*last].position;
  out->set_next_page_token(NextPageToken(
      page,
      {std::to_string(position.arrival_time.time_since_epoch().count()), position.commit_id}));
}

}  // namespace

grpc::Status CommitServiceImpl::AddCommits(grpc::ServerContext* context,
                                           const v1::AddCommitsRequest* request,
                                           v1::AddCommitsResponse* response) {
  const auto work = [&](const auth::Caller& caller) -> absl::Status {
    const auto commits = FromProto(*request);
    if (!commits.ok()) return commits.status();
    const auto outcome = commits_.AddCommits(*commits, caller.name);
    if (!outcome.ok()) return outcome.status();
    response->set_added_count(outcome->added_count);
    response->set_completed_count(outcome->completed_count);
    response->set_unchanged_count(outcome->unchanged_count);
    response->set_linked_count(outcome->linked_count);
    return absl::OkStatus();
  };
  return Handle(guard_, *context, "/regressd.v1.CommitService/AddCommits", work);
}

grpc::Status CommitServiceImpl::GetCommit(grpc::ServerContext* context,
                                          const v1::GetCommitRequest* request,
                                          v1::GetCommitResponse* response) {
  const auto work = [&](const auth::Caller&) -> absl::Status {
    common::FieldChecks checks("");
    checks.Name("commit", request->commit(), kMaxNameBytes);
    if (!checks.ok()) return checks.status();
    const auto commit = commits_.Resolve(request->commit());
    if (!commit.ok()) return commit.status();
    common::ToProto(*commit, response->mutable_commit());
    return absl::OkStatus();
  };
  return Handle(guard_, *context, "/regressd.v1.CommitService/GetCommit", work);
}

grpc::Status CommitServiceImpl::ListCommits(grpc::ServerContext* context,
                                            const v1::ListCommitsRequest* request,
                                            v1::ListCommitsResponse* response) {
  const auto work = [&](const auth::Caller&) -> absl::Status {
    const auto page = PageOf(*request, kPages, 2);
    if (!page.ok()) return page.status();
    const auto after = PositionOf(*page);
    if (!after.ok()) return after.status();
    common::FieldChecks checks("");
    checks.Line("branch", request->branch(), kMaxNameBytes);
    if (!checks.ok()) return checks.status();
    const auto entries =
        commits_.ListCommits(request->branch(), request->with_runs_only(), *after, page->size + 1);
    if (!entries.ok()) return entries.status();
    Fill(*page, *entries, response);
    return absl::OkStatus();
  };
  return Handle(guard_, *context, "/regressd.v1.CommitService/ListCommits", work);
}

}  // namespace regressd::query
