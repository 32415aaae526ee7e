#pragma once

#include <memory>
#include <vector>

#include "services/auth/authorizer.h"
#include "services/query/comparer.h"
#include "services/query/regression_feed.h"
#include "services/report/render_mail.h"
#include "storage/commit_store.h"
#include "storage/regression_store.h"
#include "storage/run_store.h"

namespace grpc {
class Service;
}

namespace regressd::query {

/// What the services that answer questions stand on. All parts must outlive the services.
struct QueryParts {
  storage::RunStore& runs;
  storage::CommitStore& commits;
  storage::RegressionStore& regressions;
  const Comparer& comparer;
  RegressionFeed& feed;
  const auth::Authorizer& authorizer;
  report::MailOptions mail;
};

/// Owns the services that answer questions: runs, commits, comparisons, regressions, reports. Keeps
/// their gRPC headers, which cost seconds a file, away from who wires them.
class QueryServices {
 public:
  explicit QueryServices(const QueryParts& parts);
  ~QueryServices();
  QueryServices(const QueryServices&) = delete;
  QueryServices& operator=(const QueryServices&) = delete;

  /// To register with a server that ends before this object.
  const std::vector<grpc::Service*>& list() const { return list_; }

 private:
  std::vector<std::unique_ptr<grpc::Service>> services_;
  std::vector<grpc::Service*> list_;
};

}  // namespace regressd::query
