#include "services/query/paging.h"

#include <gmock/gmock.h>

#include "regressd/v1/run_service.pb.h"

namespace regressd::query {
namespace {

using testing::ElementsAre;

constexpr PageLimits kLimits{.default_size = 100, .max_size = 1000};

TEST(PagingTest, SizesAreClampedAndOnlyNegativeOnesRefused) {
  EXPECT_EQ(MakePage(0, "", "", kLimits, 1)->size, 100);
  EXPECT_EQ(MakePage(7, "", "", kLimits, 1)->size, 7);
  EXPECT_EQ(MakePage(5000, "", "", kLimits, 1)->size, 1000);
  EXPECT_EQ(MakePage(-1, "", "", kLimits, 1).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(PagingTest, ATokenBringsBackItsPosition) {
  v1::ListRunsRequest request;
  request.set_testbox("a");
  const auto first = PageOf(request, kLimits, 2);
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(first->position.empty());
  request.set_page_token(NextPageToken(*first, {"12", ""}));
  request.set_page_size(3);  // May change between pages (AIP-158).
  const auto second = PageOf(request, kLimits, 2);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_THAT(second->position, ElementsAre("12", ""));
}

TEST(PagingTest, ATokenOfAnotherListIsRefused) {
  v1::ListRunsRequest runs;
  const std::string token = NextPageToken(*PageOf(runs, kLimits, 1), {"name"});
  v1::ListRunValuesRequest values;  // No field is set in either: only the kind of list differs.
  values.set_page_token(token);
  EXPECT_FALSE(PageOf(values, kLimits, 1).ok());
  runs.set_page_token(token);
  EXPECT_TRUE(PageOf(runs, kLimits, 1).ok());
  runs.set_testbox("b");
  EXPECT_FALSE(PageOf(runs, kLimits, 1).ok());
}

TEST(PagingTest, ADamagedTokenIsRefused) {
  v1::ListRunsRequest request;
  const std::string token = NextPageToken(*PageOf(request, kLimits, 1), {"a position"});
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string damaged = token;
    damaged[i] = damaged[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(MakePage(0, damaged, "x", kLimits, 1).ok()) << i;
    request.set_page_token(damaged);
    EXPECT_FALSE(PageOf(request, kLimits, 1).ok()) << i;
    request.set_page_token(token.substr(0, i));
    EXPECT_EQ(PageOf(request, kLimits, 1).ok(), i == 0) << i;
  }
}

TEST(PagingTest, TheFirstItemAlwaysFits) {
  AnswerBudget budget(100);
  EXPECT_TRUE(budget.Take(5000));
  EXPECT_FALSE(budget.Take(1));
}

TEST(PagingTest, ItemsFitUntilTheBudgetIsUsedUp) {
  AnswerBudget budget(100);
  EXPECT_TRUE(budget.Take(60));
  EXPECT_FALSE(budget.Take(60));
  EXPECT_TRUE(budget.Take(20));
}

}  // namespace
}  // namespace regressd::query
