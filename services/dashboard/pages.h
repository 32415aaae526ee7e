#pragma once

#include <functional>
#include <string_view>

#include "services/auth/authorizer.h"
#include "services/http/server.h"
#include "services/query/comparer.h"
#include "storage/commit_store.h"
#include "storage/regression_store.h"
#include "storage/run_store.h"

namespace regressd::dashboard {

/// Server-rendered pages, readable without JavaScript, every name escaped:
/// / (regressions), /r/ID, /compare?base=..&head=..&axis=k=v.., /runs, /run/UUID; and their
/// /style.css. Every page asks the authorizer first ("/page/runs"). Thread-safe; must outlive the
/// server's handlers.
class Pages {
 public:
  Pages(query::Comparer& comparer, storage::RunStore& runs, storage::CommitStore& commits,
        storage::RegressionStore& regressions, const auth::Authorizer& authorizer);

  /// Adds the pages' routes.
  void AddTo(http::HttpServer& server);

 private:
  /// A handler that serves `page` to those who may see `name`.
  http::HttpServer::Handler Guarded(std::string_view name, http::HttpServer::Handler page) const;

  query::Comparer& comparer_;
  storage::RunStore& runs_;
  storage::CommitStore& commits_;
  storage::RegressionStore& regressions_;
  const auth::Authorizer& authorizer_;
};

}  // namespace regressd::dashboard
