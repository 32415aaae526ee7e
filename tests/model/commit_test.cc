#include "services/model/commit.h"

#include <gtest/gtest.h>

namespace regressd::model {
namespace {

TEST(PatchCommitIdTest, OnePatchOnTwoBasesIsTwoTestedThings) {
  Patch patch{.message_id = "20260101.1@example.org",
              .base_commit_id = "v6.18",
              .subject = "",
              .author = ""};
  EXPECT_EQ(PatchCommitId(patch), "patch:20260101.1@example.org@v6.18");
  patch.base_commit_id = "v6.19";
  EXPECT_EQ(PatchCommitId(patch), "patch:20260101.1@example.org@v6.19");
}

}  // namespace
}  // namespace regressd::model
