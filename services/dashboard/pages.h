#pragma once

#include <string>

#include "services/http/server.h"
#include "services/query/comparer.h"
#include "storage/commit_store.h"
#include "storage/regression_store.h"
#include "storage/run_store.h"

namespace regressd::dashboard {

/// Server-rendered pages, readable without JavaScript, every name escaped:
/// / (regressions), /r/ID, /compare?base=..&head=..&axis=k=v.., /runs, /run/UUID. Thread-safe.
class Pages {
 public:
  Pages(query::Comparer& comparer, storage::RunStore& runs, storage::CommitStore& commits,
        storage::RegressionStore& regressions);

  /// Adds the pages' routes.
  void AddTo(http::HttpServer& server);

 private:
  query::Comparer& comparer_;
  storage::RunStore& runs_;
  storage::CommitStore& commits_;
  storage::RegressionStore& regressions_;
};

}  // namespace regressd::dashboard
