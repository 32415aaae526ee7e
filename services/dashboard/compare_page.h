#pragma once

#include "services/http/server.h"
#include "services/query/comparer.h"

namespace regressd::dashboard {

/// "/compare": a form; with ?base=..&head=..[&head=..][&axis=key=value][&metric=RE2][&all=1] the
/// comparison below it.
http::Response ComparePage(const http::Request& request, const query::Comparer& comparer);

}  // namespace regressd::dashboard
