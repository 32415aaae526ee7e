#include "services/query/compare_page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace regressd::query {
namespace {

using testing::ElementsAre;

constexpr std::size_t kPlenty = 1 << 20;

model::ComparisonBlock BlockOf(const std::string& testcase,
                               std::initializer_list<const char*> names) {
  model::ComparisonBlock block;
  block.axes.Set("testcase", testcase);
  block.columns.resize(2);
  for (const char* name : names) {
    model::Row& row = block.rows.emplace_back();
    row.metric.name = name;
    row.cells.resize(2);
  }
  return block;
}

std::vector<std::string> Walk(const std::vector<model::ComparisonBlock>& blocks, int max_rows,
                              std::size_t max_bytes, int* page_count) {
  std::vector<std::string> walked;
  std::optional<ComparePosition> position;
  *page_count = 0;
  do {
    v1::CompareResponse page;
    position = FillPage(blocks, position, max_rows, max_bytes, &page);
    for (const auto& block : page.blocks()) {
      if (block.rows().empty()) walked.push_back(block.axes(0).value());
      for (const auto& row : block.rows()) {
        walked.push_back(block.axes(0).value() + "/" + row.metric().name());
      }
    }
    ++*page_count;
  } while (position && *page_count < 100);
  return walked;
}

TEST(ComparePageTest, EveryRowComesOnceWhateverThePageSize) {
  const std::vector blocks{BlockOf("a", {"1", "2", "3"}), BlockOf("b", {}), BlockOf("c", {"1"})};
  for (int max_rows = 1; max_rows < 6; ++max_rows) {
    int page_count = 0;
    EXPECT_THAT(Walk(blocks, max_rows, kPlenty, &page_count),
                ElementsAre("a/1", "a/2", "a/3", "b", "c/1"))
        << max_rows;
  }
}

TEST(ComparePageTest, BytesEndAPageAndOneRowAlwaysFits) {
  const std::vector blocks{BlockOf("a", {"1", "2"}), BlockOf("b", {"1"})};
  int page_count = 0;
  EXPECT_THAT(Walk(blocks, 1000, 1, &page_count), ElementsAre("a/1", "a/2", "b/1"));
  EXPECT_EQ(page_count, 3);
}

TEST(ComparePageTest, AContinuedBlockHasItsHeaderAndItsFullCount) {
  const std::vector blocks{BlockOf("a", {"1", "2", "3"})};
  v1::CompareResponse page;
  FillPage(blocks, ComparePosition{blocks[0].axes.Canonical(), "1"}, 1, kPlenty, &page);
  ASSERT_EQ(page.blocks_size(), 1);
  EXPECT_EQ(page.blocks(0).columns_size(), 2);
  EXPECT_EQ(page.blocks(0).total_row_count(), 3);
  EXPECT_EQ(page.blocks(0).rows(0).metric().name(), "2");
}

TEST(ComparePageTest, ABlockThatWentAwayBetweenTwoPagesIsPassedOver) {
  const std::vector blocks{BlockOf("a", {"1"}), BlockOf("c", {"1"})};
  const std::string gone = BlockOf("b", {}).axes.Canonical();
  v1::CompareResponse page;
  EXPECT_FALSE(FillPage(blocks, ComparePosition{gone, "1"}, 10, kPlenty, &page).has_value());
  ASSERT_EQ(page.blocks_size(), 1);
  EXPECT_EQ(page.blocks(0).axes(0).value(), "c");
}

}  // namespace
}  // namespace regressd::query
