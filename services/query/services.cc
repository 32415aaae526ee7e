#include "services/query/services.h"

#include "services/query/commit_service.h"
#include "services/query/compare_service.h"
#include "services/query/regression_service.h"
#include "services/query/report_service.h"
#include "services/query/run_service.h"

namespace regressd::query {

QueryServices::QueryServices(const QueryParts& parts) {
  services_.push_back(
      std::make_unique<RunServiceImpl>(parts.runs, parts.commits, parts.authorizer));
  services_.push_back(std::make_unique<CommitServiceImpl>(parts.commits, parts.authorizer));
  services_.push_back(std::make_unique<CompareServiceImpl>(parts.comparer, parts.authorizer));
  services_.push_back(std::make_unique<RegressionServiceImpl>(parts.regressions, parts.commits,
                                                              parts.feed, parts.authorizer));
  services_.push_back(std::make_unique<ReportServiceImpl>(parts.regressions, parts.comparer,
                                                          parts.mail, parts.authorizer));
  for (const auto& service : services_) list_.push_back(service.get());
}

QueryServices::~QueryServices() = default;

}  // namespace regressd::query
