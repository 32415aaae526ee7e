#include "services/query/compare_page.h"

#include <utility>

#include "services/common/convert.h"
#include "services/query/paging.h"

namespace regressd::query {
namespace {

// One page in the making.
class PageFiller {
 public:
  PageFiller(std::int32_t max_rows, std::size_t max_bytes, v1::CompareResponse* out)
      : rows_left_(max_rows), budget_(max_bytes), out_(out) {}

  // Adds the rows of `block` after `metric` (unset: from its header on). False when the page is
  // full before its end.
  bool Add(const model::ComparisonBlock& block, const std::optional<std::string>& metric) {
    v1::ComparisonBlock header;
    common::ToProtoHeader(block, &header);
    v1::ComparisonBlock* added = nullptr;
    for (const model::Row& row : block.rows) {
      if (metric && row.metric.name <= *metric) continue;
      v1::ComparisonRow encoded;
      common::ToProto(row, &encoded);
      const std::size_t header_bytes = added == nullptr ? header.ByteSizeLong() : 0;
      if (rows_left_ == 0 || !budget_.Take(header_bytes + encoded.ByteSizeLong())) return false;
      if (added == nullptr) added = AddHeader(block, header);
      *added->add_rows() = std::move(encoded);
      last_.metric = row.metric.name;
      --rows_left_;
    }
    // A block whose rows are all filtered out still says who was compared.
    if (!block.rows.empty() || metric) return true;
    if (rows_left_ == 0 || !budget_.Take(header.ByteSizeLong())) return false;
    AddHeader(block, header);
    return true;
  }

  const ComparePosition& last() const { return last_; }

 private:
  v1::ComparisonBlock* AddHeader(const model::ComparisonBlock& block,
                                 const v1::ComparisonBlock& header) {
    v1::ComparisonBlock* added = out_->add_blocks();
    *added = header;
    last_ = {.block = block.axes.Canonical(), .metric = ""};
    return added;
  }

  std::int32_t rows_left_;
  AnswerBudget budget_;
  v1::CompareResponse* out_;
  ComparePosition last_;
};

}  // namespace

std::optional<ComparePosition> FillPage(const std::vector<model::ComparisonBlock>& blocks,
                                        const std::optional<ComparePosition>& after,
                                        std::int32_t max_rows, std::size_t max_bytes,
                                        v1::CompareResponse* out) {
  PageFiller page(max_rows, max_bytes, out);
  for (const model::ComparisonBlock& block : blocks) {
    std::optional<std::string> metric;
    if (after) {
      const std::string canonical = block.axes.Canonical();
      if (canonical < after->block) continue;
      if (canonical == after->block) metric = after->metric;
    }
    if (!page.Add(block, metric)) return page.last();
  }
  return std::nullopt;
}

}  // namespace regressd::query
