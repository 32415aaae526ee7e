#pragma once

#include "services/http/server.h"
#include "services/query/comparer.h"
#include "storage/regression_store.h"

namespace regressd::dashboard {

/// "/r/ID": one regression: the sentence, the numbers of its verdict, every metric of its runs,
/// machine, history, the table as text. The first capture is the id.
http::Response RegressionPage(const http::Request& request, const query::Comparer& comparer,
                              storage::RegressionStore& regressions);

}  // namespace regressd::dashboard
