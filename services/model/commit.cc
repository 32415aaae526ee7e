#include "services/model/commit.h"

namespace regressd::model {

std::string PatchCommitId(const Patch& patch) {
  return "patch:" + patch.message_id + "@" + patch.base_commit_id;
}

}  // namespace regressd::model
