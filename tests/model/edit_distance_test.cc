#include "services/model/edit_distance.h"

#include <gtest/gtest.h>

namespace regressd::model {
namespace {

TEST(EditDistanceTest, CountsTheFewestChangesOfOneByte) {
  // Wagner and Fischer, "The String-to-String Correction Problem"; the examples of textbooks.
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3U);
  EXPECT_EQ(EditDistance("saturday", "sunday"), 3U);
  EXPECT_EQ(EditDistance("compare", "comapre"), 2U);
  EXPECT_EQ(EditDistance("", "abc"), 3U);
  EXPECT_EQ(EditDistance("abc", ""), 3U);
  EXPECT_EQ(EditDistance("abc", "abc"), 0U);
}

}  // namespace
}  // namespace regressd::model
