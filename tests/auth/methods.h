#pragma once

#include <string>
#include <vector>

namespace regressd::test {

/// An rpc of regressd.v1, as the protos have it.
struct Method {
  std::string name;  ///< "/regressd.v1.RunService/GetRun".
  bool client_streaming = false;
};

/// Every rpc of every service of every file in proto/regressd/v1, read from the source tree: a
/// proto that is not built yet counts, too.
std::vector<Method> AllMethods();

}  // namespace regressd::test
