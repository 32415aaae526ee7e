#pragma once

#include "services/http/server.h"
#include "storage/commit_store.h"
#include "storage/run_store.h"

namespace regressd::dashboard {

/// "/runs": runs, newest first; ?axis=key=value, ?commit=, ?testbox=, ?state=, ?after=PLACE.
http::Response RunListPage(const http::Request& request, storage::RunStore& runs,
                           storage::CommitStore& commits);

}  // namespace regressd::dashboard
