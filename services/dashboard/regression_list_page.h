#pragma once

#include "services/http/server.h"
#include "storage/commit_store.h"
#include "storage/regression_store.h"

namespace regressd::dashboard {

/// "/": regressions, newest first; ?state=new, ?axis=key=value, ?head=COMMIT, ?after=PLACE.
http::Response RegressionListPage(const http::Request& request, storage::CommitStore& commits,
                                  storage::RegressionStore& regressions);

}  // namespace regressd::dashboard
