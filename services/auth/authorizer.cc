#include "services/auth/authorizer.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "services/model/names.h"

namespace regressd::auth {
namespace {

// Every rpc and page, with the right that it needs. tests/auth holds it against the protos.
constexpr std::array<std::pair<std::string_view, Right>, 22> kRights{{
    {"/regressd.v1.IngestService/Push", Right::kIngest},
    {"/regressd.v1.RunService/GetRun", Right::kRead},
    {"/regressd.v1.RunService/ListRuns", Right::kRead},
    {"/regressd.v1.RunService/ListRunValues", Right::kRead},
    {"/regressd.v1.RunService/ReadSamples", Right::kRead},
    {"/regressd.v1.RunService/ReadStacks", Right::kRead},
    {"/regressd.v1.RunService/ReadObservations", Right::kRead},
    {"/regressd.v1.RunService/ExcludeRun", Right::kCurate},
    {"/regressd.v1.CommitService/AddCommits", Right::kCurate},
    {"/regressd.v1.CommitService/GetCommit", Right::kRead},
    {"/regressd.v1.CommitService/ListCommits", Right::kRead},
    {"/regressd.v1.CompareService/Compare", Right::kRead},
    {"/regressd.v1.RegressionService/ListRegressions", Right::kRead},
    {"/regressd.v1.RegressionService/GetRegression", Right::kRead},
    {"/regressd.v1.RegressionService/SetRegressionState", Right::kCurate},
    {"/regressd.v1.RegressionService/WatchRegressions", Right::kRead},
    {"/regressd.v1.ReportService/RenderReport", Right::kRead},
    {"/page/regressions", Right::kRead},
    {"/page/regression", Right::kRead},
    {"/page/compare", Right::kRead},
    {"/page/runs", Right::kRead},
    {"/page/run", Right::kRead},
}};

constexpr model::Names<Right, 3> kNames{{
    {Right::kIngest, "ingest"},
    {Right::kRead, "read"},
    {Right::kCurate, "curate"},
}};

}  // namespace

std::string_view ToString(Right right) { return model::NameOf(kNames, right); }

std::optional<Right> RightFor(std::string_view method) {
  for (const auto& [known, right] : kRights) {
    if (known == method) return right;
  }
  return std::nullopt;
}

absl::StatusOr<Caller> LocalAuthorizer::Authorize(std::string_view method,
                                                  const Credentials&) const {
  if (!RightFor(method)) {
    return absl::PermissionDeniedError(
        fmt::format("{} is not in the table of rights, so nobody may call it", method));
  }
  return Caller{"local"};
}

}  // namespace regressd::auth
