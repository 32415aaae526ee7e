#pragma once

#include "services/http/server.h"
#include "storage/run_store.h"

namespace regressd::dashboard {

/// "/run/UUID": one run: how it ended, on what, what it sent, its run values. The first capture is
/// a UUID or a prefix.
http::Response RunPage(const http::Request& request, storage::RunStore& runs);

}  // namespace regressd::dashboard
