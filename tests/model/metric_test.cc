#include "services/model/metric.h"

#include <gtest/gtest.h>

namespace regressd::model {
namespace {

// Python 3.11: int.from_bytes(hashlib.sha256(text).digest()[:8], "big") >> 1. Stored ids depend on
// it for ever.
TEST(Hash63Test, IsTheFirst63BitsOfSha256) {
  EXPECT_EQ(Hash63(""), 8203414616412130826);
  EXPECT_EQ(MetricId("vmstat.swap.so"), 8619003948207651703);
  EXPECT_EQ(Hash63("\xC3\xA9"), 2687710815487386025);
}

}  // namespace
}  // namespace regressd::model
